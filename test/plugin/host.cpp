// plugin_host <plugin>...: runs each plugin, closes it while another thread still holds what it made there, lets that
// thread end, opens it again, and ends with its static arrays alive. Its exit status is what the test looks at.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <future>
#include <thread>

namespace {

using function = double (*)();

struct plugin {
  void* library = nullptr;
  function run = nullptr;
};

int wrong = 0;

[[noreturn]] void give_up() {
  std::printf("%s\n", dlerror());
  std::exit(2);
}

plugin open(const char* path) {
  plugin p;
  p.library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!p.library) give_up();
  p.run = reinterpret_cast<function>(dlsym(p.library, "plugin_run"));
  if (!p.run) give_up();
  return p;
}

void close(const plugin& p) {
  if (dlclose(p.library) != 0) give_up();
}

void expect(double value, double right, const char* where) {
  if (value == right) return;
  std::printf("%s: %g instead of %g\n", where, value, right);
  ++wrong;
}

void open_twice(const char* path) {
  std::promise<void> closed;
  {
    const plugin p = open(path);
    // Never in the main thread: as long as a thread has objects of a library, that is not unloaded in any case.
    std::thread([&] { expect(p.run(), 0, "first call"); }).join();
    std::promise<double> ran;
    std::thread holds([&] {
      ran.set_value(p.run());
      closed.get_future().wait();
    });  // its streams and arrays go here, after the plugin was closed
    expect(ran.get_future().get(), 1, "another thread");
    close(p);
    closed.set_value();
    holds.join();
  }
  close(open(path));  // the loader looks again for what can go, now that no thread has anything of it
  const plugin again = open(path);
  std::thread([&] { expect(again.run(), 2, "opened again"); }).join();  // the same copy: it stayed
  close(again);
}

}  // namespace

int main(int, char** arguments) {
  for (char** path = arguments + 1; *path; ++path) open_twice(*path);
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
