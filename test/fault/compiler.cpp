// A compiler that remembers. It is started in the place of the real one, whose name follows `quick_` in its own: what it has
// compiled before with the same arguments it hands out again, so that ten thousand first evaluations do not take an hour. A
// program, not a part of the harness: starting a process and waiting for it is a part of what is tested.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

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

}  // namespace

int main(int count, char** words) {
  const char* const slash = std::strrchr(words[0], '/');
  const std::string name = slash ? slash + 1 : words[0];
  const char* const memory = std::getenv("SINTER_FAULT_IMAGES");
  if (name.rfind("quick_", 0) != 0 || !memory) return 2;
  const std::string real = name.substr(6);

  std::uint64_t hash = mixed(14695981039346656037ull, real.data(), real.size());
  std::string target, source;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "-o" && i + 1 < count) target = words[++i];
    else if (ends_with(word, ".c") || ends_with(word, ".cpp")) read_file(word, source);
    else hash = mixed(hash, word.data(), word.size() + 1);
  }
  hash = mixed(hash, source.data(), source.size());
  char key[32];
  std::snprintf(key, sizeof key, "/%016llx", static_cast<unsigned long long>(hash));
  const std::string known = memory + std::string(key);

  std::string image;
  if (read_file(known, image)) return write_file(target, image) ? 0 : 1;
  // The real one compiles in a process of its own, since its image is wanted afterwards.
  std::string command = "exec " + real;
  for (int i = 1; i < count; ++i) command += " '" + std::string(words[i]) + "'";
  if (const int status = std::system(command.c_str()); status != 0) return 1;
  if (!read_file(target, image)) return 1;
  // Under a name of its own first: others may look for it at this moment.
  const std::string own = known + "." + std::to_string(::getpid());
  if (write_file(own, image)) ::rename(own.c_str(), known.c_str());
  return 0;
}
