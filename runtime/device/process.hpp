// What becomes of the process: whether it has begun to exit, whether it is the child of a fork.
#pragma once

namespace sinter::runtime {

/// Starts watching for both, and keeps the library loaded. Call when something that does not survive them has been
/// opened: a driver, a device. Any number of times.
void watch_process();

/// Keeps the shared object that an address lies in, if it does, until the process ends.
void keep_loaded(const void* address) noexcept;

/// Has a function called once when the process begins to exit, before `exiting` says so and while drivers still answer. There is
/// room for one.
void before_exit(void (*)()) noexcept;

/// True once the process has begun to exit: the driver may be gone, and must not be called.
bool exiting() noexcept;

/// True in a process that was forked from one that watched: it has neither that one's threads nor its driver.
bool forked() noexcept;

/// Is a variable of its environment 1?
bool set_to_one(const char* variable) noexcept;

}  // namespace sinter::runtime
