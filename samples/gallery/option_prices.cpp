// What an option is worth, by simulation: prices of a share go on at random, each path is a running sum, and the mean
// of what the option pays comes with its confidence band. Black and Scholes' formula has the answer for a plain call;
// for one on the mean price of the year there is none.
#include <cmath>
#include <iostream>
#include <utility>

#include "gallery.hpp"

namespace sn = sinter;
using sn::_, sn::array;

int main(int argc, char** argv) {
  const gallery::command ask(argc, argv, "out/option_prices.png", 20'000);
  constexpr double start = 100, strike = 105, rate = 0.03, volatility = 0.2;
  constexpr std::int64_t days = 64, rows = 160;

  sn::random::generator rng(7);
  const double drift = (rate - volatility * volatility / 2) / days, step = volatility / std::sqrt(double(days));
  const array<float> price = start * sn::exp(sn::cumsum(rng.normal<float>({ask.size, days}, drift, step), 1));

  auto tell = [&](const char* name, const auto& paid) {
    auto [value, error] = sn::eval(sn::mean(paid), sn::stddev(paid, {.ddof = 1}) / std::sqrt(double(ask.size)));
    std::cout << name << sn::round(value, 1) << ", give or take " << sn::round(1.96 * error, 1) << '\n';
    return std::pair(value.item(), 1.96 * error.item());
  };
  const double discount = std::exp(-rate);
  auto [value, band] = tell("call on the last price   ", discount * sn::maximum(price(_, -1) - strike, 0));
  tell("call on the mean price   ", discount * sn::maximum(sn::mean(price, 1) - strike, 0));

  const double d1 = (std::log(start / strike) + rate) / volatility + volatility / 2, d2 = d1 - volatility;
  const double exact = start * sn::special::ndtr(d1) - discount * strike * sn::special::ndtr(d2);
  std::cout << "Black and Scholes        " << sn::round(exact, 1)
            << (std::abs(value - exact) < band ? ", inside" : ", outside") << " the band\n";

  // How many paths pass through each price on each day.
  array<int> seen = sn::zeros<int>({rows, days});
  auto row = sn::astype<int>(sn::clip((200 - price) / 150, 0, 0.999) * rows);
  sn::scatter_add(seen(row, sn::arange(days)), 1);
  gallery::imsave(ask.picture, sn::repeat(sn::repeat(sn::sqrt(seen), 6, 1), 2, 0), {.cmap = gallery::inferno});
}
