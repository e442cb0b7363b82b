// A module's main is looked up by its name, which C++ does not let a program call itself.
#include "sample.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <streambuf>
#include <typeinfo>

#include "faults.hpp"

namespace fault {
namespace {

/// Takes what is printed without asking for memory: a stream whose buffer cannot grow loses characters and says nothing.
class fixed_buffer : public std::streambuf {
 public:
  void clear() { setp(characters_, characters_ + sizeof characters_); }
  std::string text() const { return {pbase(), pptr()}; }

 private:
  char characters_[most_printed];
};

fixed_buffer printed, said;

/// A stream that a sample writes to, as a fresh process would have it.
class redirected {
 public:
  redirected(std::ostream& from, fixed_buffer& to) : stream_(from), before_(from.rdbuf(&to)) {
    to.clear();
    stream_.copyfmt(std::ios(nullptr));
    stream_.clear();
  }
  ~redirected() { stream_.rdbuf(before_); }
  redirected(const redirected&) = delete;
  redirected& operator=(const redirected&) = delete;

 private:
  std::ostream& stream_;
  std::streambuf* before_;
};

constexpr const char* prefix = "fault_sample_";

}  // namespace

sample::sample(const std::string& module) : name_(std::filesystem::path(module).stem().string()) {
  if (name_.starts_with(prefix)) name_.erase(0, std::strlen(prefix));
  void* const library = dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) throw std::runtime_error(dlerror());
  main_ = reinterpret_cast<int (*)(int, char**)>(dlsym(library, "main"));
  if (!main_) throw std::runtime_error(module + " has no main");
}

ending sample::run() const {
  ending e;
  forget_handled();
  {
    const redirected out(std::cout, printed), err(std::cerr, said);
    std::string name = name_;
    char* arguments[] = {name.data(), nullptr};
    try {
      e.returned = main_(1, arguments);
    } catch (const std::exception& x) {
      e.threw = true;
      std::cerr << x.what();
    } catch (...) {
      e.threw = true;
    }
  }
  e.type = first_handled().type;
  e.printed = printed.text();
  e.said = *first_handled().text ? first_handled().text : said.text();
  return e;
}

std::vector<sample> samples_in(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().filename().string().starts_with(prefix)) files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  std::vector<sample> result;
  for (const std::string& file : files) result.emplace_back(file);
  return result;
}

}  // namespace fault
