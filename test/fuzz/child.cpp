#include "test/fuzz/child.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <stdexcept>

namespace sinter::fuzz {

namespace {

constexpr unsigned patience = 100;  // seconds that a program may take
constexpr std::size_t most = 64;

// What a child and its parent share.
struct page {
  struct entry {
    std::uint64_t seed;
    char ways[64], what[1024];
  };
  std::uint64_t at, done, noted;
  entry findings[most];
};

page& shared_page() {
  static auto* const made =
      static_cast<page*>(::mmap(nullptr, sizeof(page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (made == MAP_FAILED) throw std::runtime_error("no memory to share with a child");
  return *made;
}

template <std::size_t size>
void copy(char (&to)[size], const std::string& from) {
  const std::size_t n = std::min(from.size(), size - 1);
  std::memcpy(to, from.data(), n);
  to[n] = '\0';
}

class page_writer : public reporter {
 public:
  void begin(std::uint64_t seed) override {
    page_.at = seed;
    ::alarm(patience);
  }
  void begin_together() override { ::alarm(10 * patience); }
  void done() override { ++page_.done; }
  void note(std::uint64_t seed, const verdict& v) override {
    if (page_.noted == most) return;
    page::entry& e = page_.findings[page_.noted++];
    e.seed = seed;
    copy(e.ways, v.ways), copy(e.what, v.what);
  }

 private:
  page& page_ = shared_page();
};

[[noreturn]] void be_child(const std::function<void(reporter&)>& work) {
  page_writer to;
  try {
    work(to);
  } catch (const std::exception& e) {
    to.note(shared_page().at, {"a run and its end", e.what()});
  }
  ::alarm(0);
  std::exit(EXIT_SUCCESS);
}

}  // namespace

report in_child(const std::function<void(reporter&)>& work) {
  page& p = shared_page();
  p = {};
  std::cout.flush();  // or the child would say it, too
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("no child process: " + std::string(std::strerror(errno)));
  if (child == 0) be_child(work);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  report r{p.done};
  for (std::size_t i = 0; i < p.noted; ++i)
    r.findings.push_back({p.findings[i].seed, {p.findings[i].ways, p.findings[i].what}});
  if (status != 0) {
    const bool hangs = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
    const std::string how =
        WIFSIGNALED(status) ? ::strsignal(WTERMSIG(status)) : "status " + std::to_string(WEXITSTATUS(status));
    r.findings.push_back({p.at, {"a run and its end", hangs ? "it does not come to an end" : how}});
    ++r.done;  // the one it was at
  }
  return r;
}

}  // namespace sinter::fuzz
