#include "bench/grid/python.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace bench::grid {

python_worker::python_worker() {
  std::string name = (std::filesystem::temp_directory_path() / "sinter_grid.XXXXXX").string();
  if (!::mkdtemp(name.data())) return;
  folder_ = name;
  int down[2], up[2];
  if (::pipe(down) != 0 || ::pipe(up) != 0) return;
  ::signal(SIGPIPE, SIG_IGN);  // a worker that is gone is found where it does not answer
  process_ = ::fork();
  if (process_ == 0) {
    ::dup2(down[0], 0);
    ::dup2(up[1], 1);
    for (const int end : {down[0], down[1], up[0], up[1]}) ::close(end);
    const char* const chosen = std::getenv("BENCH_PYTHON");
    const char* const python = chosen ? chosen : "python3";
    ::execlp(python, python, BENCH_GRID_FOLDER "/worker.py", folder_.c_str(), nullptr);
    ::_exit(127);
  }
  ::close(down[0]);
  ::close(up[1]);
  to_ = ::fdopen(down[1], "w");
  from_ = ::fdopen(up[0], "r");
  std::istringstream words(ask(""));
  for (std::string peer; words >> peer;) peers_.push_back(peer);
}

python_worker::~python_worker() {
  if (to_) std::fclose(to_);
  if (from_) std::fclose(from_);
  if (process_ > 0) ::waitpid(process_, nullptr, 0);
  std::error_code none;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, none);
}

std::string python_worker::ask(const std::string& line) {
  if (!to_ || std::fputs((line + "\n").c_str(), to_) < 0 || std::fflush(to_) != 0) return {};
  std::string answer;
  for (int c; (c = std::fgetc(from_)) != EOF && c != '\n';) answer += static_cast<char>(c);
  return answer;
}

void python_worker::take(const inputs& in) {
  if (peers_.empty()) return;
  const auto write = [&](const char* name, const void* data, std::size_t size) {
    std::ofstream(file(name), std::ios::binary)
        .write(static_cast<const char*>(data), static_cast<std::streamsize>(size * static_cast<std::size_t>(in.n)));
  };
  write("x", in.x, 4), write("y", in.y, 4), write("price", in.price, 4), write("strike", in.strike, 4);
  write("time", in.time, 4), write("k", in.k, 4), write("bytes", in.bytes, 1);
  ask("take " + std::to_string(in.rows) + " " + std::to_string(in.columns));
}

std::optional<std::vector<double>> python_worker::result(const std::string& peer, const std::string& row) {
  if (ask("result " + peer + " " + row) != "written") return std::nullopt;
  std::vector<double> values(std::filesystem::file_size(file("result")) / sizeof(double));
  std::ifstream(file("result"), std::ios::binary)
      .read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(double)));
  return values;
}

double python_worker::seconds(const std::string& peer, const std::string& row, int times) {
  const std::string answer = ask("time " + peer + " " + std::to_string(times) + " " + row);
  if (answer.empty()) throw std::runtime_error("bench: the Python worker has stopped at " + row);
  return std::stod(answer);
}

}  // namespace bench::grid
