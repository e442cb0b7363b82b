// A compiler that remembers. It is started in the place of the real one, whose name follows `kept_` in its own: what that has
// compiled before from the same text with the same options it hands out again, from the folder SINTER_TEST_IMAGES. Most of the
// time of all tests would go into compiling what the last run has compiled. A program, not a part of a harness: starting a process
// and waiting for it is a part of what is tested. ./fresh.sh drops what other compilers or another processor made.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

std::uint64_t mixed(std::uint64_t hash, const char* data, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) hash = (hash ^ static_cast<unsigned char>(data[i])) * 0x100000001b3ull;
  return hash * 31 + size;
}

bool read_file(const std::string& path, std::string& to) {
  const int file = ::open(path.c_str(), O_RDONLY);
  if (file < 0) return false;
  char piece[1 << 16];
  ssize_t n;
  while ((n = ::read(file, piece, sizeof piece)) > 0) to.append(piece, static_cast<std::size_t>(n));
  ::close(file);
  return n == 0;
}

bool write_file(const std::string& path, const std::string& from) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0755);
  if (file < 0) return false;
  const bool whole = ::write(file, from.data(), from.size()) == static_cast<ssize_t>(from.size());
  return ::close(file) == 0 && whole;
}

bool ends_with(const std::string& text, const char* end) {
  const std::size_t n = std::strlen(end);
  return text.size() > n && text.compare(text.size() - n, n, end) == 0;
}

/// What an image depends on, and where it goes.
struct call {
  std::string options, target, source;
  bool keeps = true;  // no: other files have a part in it
};

call read_call(int count, char** words) {
  call c;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "-o" && i + 1 < count) c.target = words[++i];
    else if (ends_with(word, ".c") || ends_with(word, ".cpp")) c.keeps = read_file(word, c.source) && c.keeps;
    else c.options += word + '\n';
    if (word.rfind("-I", 0) == 0) c.keeps = false;
  }
  c.keeps = c.keeps && !c.target.empty() && !c.source.empty() && c.source.find("#include") == std::string::npos;
  return c;
}

/// The status as a shell would have it; that of a signal is sent on.
int run(const char* program, char** words) {
  pid_t child = 0;
  if (::posix_spawnp(&child, program, nullptr, nullptr, words, environ) != 0) return 127;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
  }
  if (WIFSIGNALED(status)) ::raise(WTERMSIG(status));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

int main(int count, char** words) {
  const char* const slash = std::strrchr(words[0], '/');
  const std::string name = slash ? slash + 1 : words[0];
  if (name.rfind("kept_", 0) != 0) return 2;
  const std::string real = name.substr(5);
  words[0] = const_cast<char*>(real.c_str());
  const char* const memory = std::getenv("SINTER_TEST_IMAGES");
  const call c = read_call(count, words);
  if (!memory || !c.keeps) {
    ::execvp(real.c_str(), words);
    return 127;
  }
  // Twice 64 bits, as there are tens of thousands of texts and years of runs.
  const std::string all = real + '\n' + c.options + c.source;
  char key[40];
  std::snprintf(key, sizeof key, "/%016llx%016llx",
                static_cast<unsigned long long>(mixed(14695981039346656037ull, all.data(), all.size())),
                static_cast<unsigned long long>(mixed(0x9e3779b97f4a7c15ull, all.data(), all.size())));
  const std::string known = memory + std::string(key);

  std::string image;
  if (read_file(known, image)) return write_file(c.target, image) ? 0 : 1;
  // In a process of its own, since the image is wanted afterwards.
  if (const int status = run(real.c_str(), words); status != 0) return status;
  if (!read_file(c.target, image)) return 1;
  // Under a name of its own first: others may look for it at this moment.
  const std::string own = known + "." + std::to_string(::getpid());
  if (write_file(own, image)) ::rename(own.c_str(), known.c_str());
  return 0;
}
