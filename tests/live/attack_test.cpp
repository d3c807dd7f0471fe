// SPDX-License-Identifier: Apache-2.0
// Clients that mean no good, with the token and without it: what they cost is bounded in memory and
// in time, nobody else notices them, and the end waits for none.
#include <gmock/gmock.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <zlib.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <ctime>

#include "live/http_request.h"
#include "tests/live/served.h"

namespace {

std::atomic<int> accept_fails_with = 0;

}  // namespace

// Instead of the C library's.
extern "C" int accept4(int socket, sockaddr* from, socklen_t* size, int flags) {
  if (accept_fails_with == 0) {
    return static_cast<int>(syscall(SYS_accept4, socket, from, size, flags));
  }
  errno = accept_fails_with;
  return -1;
}

namespace aclgrad::live {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

double seconds(const std::function<void()>& act) {
  const std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  act();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// What a user notices.
void expect_served(const Served& served) {
  const double took = seconds([&] {
    EXPECT_EQ(served.client().get(served.root()).status, 200);
    EXPECT_EQ(served.post(R"({"do": "step"})").status, 200);
  });
  EXPECT_LT(took, 1.5);
}

// Sends a piece over and over until nobody takes it any more; returns the bytes that were taken.
std::size_t pour(const Wire& wire, const std::string& begin, const std::string& piece,
                 std::size_t most) {
  if (!wire.send(begin)) return 0;
  std::size_t sent = begin.size();
  while (sent < most && wire.send(piece)) sent += piece.size();
  return sent;
}

TEST(LiveAttack, HeadsWithoutEndTakeNoMemory) {
  Served served;
  const std::string host = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n";
  const std::string much(1 << 16, 'a');
  std::string lines;
  while (lines.size() < much.size()) lines += "X-A: b\r\n";
  const double before = resident_mib();
  for (const auto& [begin, piece] : std::vector<std::pair<std::string, std::string>>{
           {"GET /", much},
           {host + "X-A: ", much},
           {host, lines},
           {std::string(), std::string(1 << 16, '\n')},
           {std::string(), std::string(1 << 16, '\0')}}) {
    Wire wire = served.client().wire();
    // Read while it is sent: once the server has closed, an answer that was not read is lost.
    std::future<int> told = std::async(std::launch::async, [&] { return wire.response().status; });
    const double took = seconds(
        [&, &begin = begin, &piece = piece] { pour(wire, begin, piece, std::size_t{1} << 40); });
    EXPECT_EQ(told.get(), 431);
    EXPECT_LT(took, 5);  // then nothing is taken any more
  }
  EXPECT_LT(resident_mib() - before, 16);
  expect_served(served);
}

TEST(LiveAttack, BodiesAreBoundedHoweverTheyAreSent) {
  Served served;
  const double before = resident_mib();
  const std::string command = served.root() + "command";
  const std::string head =
      "POST " + command + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(served.port()) + "\r\n";
  const auto status = [&](const std::string& fields, const std::string& piece, std::size_t most) {
    Wire wire = served.client().wire();
    pour(wire, head + fields + "\r\n", piece, most);
    return wire.response().status;
  };
  const std::string chunk = "10000\r\n" + std::string(0x10000, 'x') + "\r\n";
  EXPECT_EQ(status("Transfer-Encoding: chunked\r\n", chunk, std::size_t{200} << 20), 411);
  EXPECT_EQ(status("Transfer-Encoding: gzip, chunked\r\nContent-Length: 2\r\n", "{}", 0), 411);
  EXPECT_EQ(status("Content-Length: 1048577\r\n", chunk, std::size_t{200} << 20), 413);
  EXPECT_EQ(status("Content-Length: 99999999999999999999999\r\n", "", 0), 413);
  for (const char* length : {"-1", "+2", "0x10", "2, 2", "", "1e3", " "}) {
    EXPECT_EQ(status("Content-Length: " + std::string(length) + "\r\n", "", 0), 400) << length;
  }
  EXPECT_EQ(status("Content-Length: 2\r\nContent-Length: 3\r\n", "{}", 0), 400);
  // 64 MiB of blanks in 64 KiB.
  std::string blanks(std::size_t{64} << 20, ' '), packed(1 << 20, '\0');
  uLongf size = packed.size();
  ASSERT_EQ(compress(reinterpret_cast<Bytef*>(packed.data()), &size,
                     reinterpret_cast<const Bytef*>(blanks.data()), blanks.size()),
            Z_OK);
  std::string().swap(blanks);
  const double with_packed = resident_mib();
  for (const char* encoding : {"gzip", "deflate", "br", "identity, gzip"}) {
    const std::string fields = "Content-Encoding: " + std::string(encoding) +
                               "\r\nContent-Length: " + std::to_string(size) + "\r\n";
    EXPECT_EQ(status(fields, packed.substr(0, size), 0), 415) << encoding;
  }
  EXPECT_LT(resident_mib() - with_packed, 16);
  EXPECT_LT(resident_mib() - before, 32);
  expect_served(served);
}

TEST(LiveAttack, WithoutTheTokenNoBodyIsTaken) {
  Served served;
  const double before = resident_mib();
  Wire wire = served.client().wire();
  pour(wire, served.client().request("POST", "/command", "").substr(0, 60), "", 0);
  Wire other = served.client().wire();
  const std::string head =
      "POST /x/command HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(served.port()) +
      "\r\nContent-Length: 1000000\r\n\r\n";
  EXPECT_TRUE(other.send(head));
  EXPECT_EQ(other.response().status, 403);  // although nothing of the body has come
  EXPECT_LT(resident_mib() - before, 8);
}

TEST(LiveAttack, RequestsThatCannotBeReadAreRefused) {
  Served served;
  const std::string host = "Host: 127.0.0.1:" + std::to_string(served.port()) + "\r\n";
  const std::string path = served.root();
  const auto status = [&](const std::string& text) {
    Wire wire = served.client().wire();
    wire.send(text);
    return wire.response().status;
  };
  for (const std::string& head :
       {std::string("nonsense\r\n\r\n"), std::string("\r\n\r\n"), "GET " + path + "\r\n\r\n",
        "GET " + path + " HTTP/2.0\r\n" + host + "\r\n", "GET  HTTP/1.1\r\n" + host + "\r\n",
        "GET http://x" + path + " HTTP/1.1\r\n" + host + "\r\n",
        "GET " + path + " HTTP/1.1\r\n" + host + host + "\r\n",
        "GET " + path + " HTTP/1.1\r\n" + host + " folded: x\r\n\r\n",
        "GET " + path + " HTTP/1.1\r\n" + host + "name : x\r\n\r\n",
        "GET " + path + " HTTP/1.1\r\n" + host + "no colon\r\n\r\n",
        "GET " + path + " HTTP/1.1\r\n" + host + std::string("a: \0\r\n\r\n", 8)}) {
    EXPECT_EQ(status(head), 400) << head;
  }
  EXPECT_EQ(status("GET " + path + " HTTP/1.0\r\n" + host + "\r\n"), 200);
  EXPECT_EQ(status("DELETE " + path + " HTTP/1.1\r\n" + host + "\r\n"), 404);
  expect_served(served);
}

// Each sends a byte every now and then; a limit for each read would never end.
TEST(LiveAttack, SlowClientsStopNeitherThePageNorTheEnd) {
  Served served;
  const double before = resident_mib();
  std::vector<Wire> slow, dripping;
  const std::string body_head = "POST " + served.root() + "command HTTP/1.1\r\nHost: 127.0.0.1:" +
                                std::to_string(served.port()) + "\r\nContent-Length: 100\r\n\r\n";
  for (int i = 0; i < 40; ++i) slow.push_back(served.client().wire());
  for (int i = 0; i < 10; ++i) {
    dripping.push_back(served.client().wire());
    dripping.back().send(body_head);
  }
  for (int round = 0; round < 3; ++round) {
    for (const Wire& wire : slow) wire.send("G");
    for (const Wire& wire : dripping) wire.send("{");
    expect_served(served);
  }
  EXPECT_LT(resident_mib() - before, 16);
  EXPECT_LT(seconds([&] { served.end(); }), 1);
}

TEST(LiveAttack, AHeadHasFiveSecondsInAll) {
  Served served;
  Wire wire = served.client().wire();
  const double took = seconds([&] {
    for (int i = 0; i < 40 && wire.send("GET /x"); ++i) std::this_thread::sleep_for(250ms);
  });
  EXPECT_GT(took, 4);
  EXPECT_LT(took, 9);
}

TEST(LiveAttack, AThousandConnectionsMakeRoomForOneThatAsks) {
  rlimit most{};
  getrlimit(RLIMIT_NOFILE, &most);
  most.rlim_cur = std::min<rlim_t>(most.rlim_max, 4096);
  setrlimit(RLIMIT_NOFILE, &most);
  Served served;
  const double before = resident_mib();
  std::vector<Wire> idle;
  for (int i = 0; i < 1000; ++i) {
    idle.push_back(served.client().wire());
    if (i % 2 == 0) idle.back().send("GET / HTTP/1.1\r\nX: " + std::string(20000, 'x'));
    if (i % 3 == 0) idle.back().finish();
    if (i % 100 == 0) expect_served(served);
  }
  expect_served(served);
  EXPECT_LT(resident_mib() - before, 16);
  EXPECT_LT(seconds([&] { served.end(); }), 1);
}

// Readers that do not read: of the page, of answers and of frames.
TEST(LiveAttack, ClientsThatTakeNoAnswerStopNobody) {
  Served served;
  std::vector<Wire> deaf;
  for (int i = 0; i < 20; ++i) {
    deaf.push_back(served.client().wire());
    deaf.back().send(served.client().request("GET", served.root() + "events", ""));
    deaf.push_back(served.client().wire());
    for (int k = 0; k < 20; ++k) {
      deaf.back().send(served.client().request("GET", served.root(), ""));
    }
  }
  served.ask({{"do", "play"}});
  for (int i = 0; i < 20; ++i) served.ask({{"do", "watch"}, {"values", json::array()}});
  expect_served(served);
  EXPECT_LT(seconds([&] { served.end(); }), 1);
}

TEST(LiveAttack, SixtyFourPagesListenAndTheNextIsToldWhy) {
  Served served;
  const std::string request = served.client().request("GET", served.root() + "events", "");
  std::vector<Wire> pages;
  const auto first_event = [](Wire& wire) {
    std::string text;
    while (text.find("\n\n") == std::string::npos) {
      const std::string more = wire.receive();
      if (more.empty()) break;
      text += more;
    }
    return text;
  };
  for (int i = 0; i < 64; ++i) {
    pages.push_back(served.client().wire());
    pages.back().send(request);
    EXPECT_THAT(first_event(pages.back()), HasSubstr("event: life"));
  }
  Wire more = served.client().wire();
  more.send(request);
  EXPECT_THAT(first_event(more), HasSubstr("64 pages are open already"));
  pages.pop_back();
  std::this_thread::sleep_for(100ms);
  Wire again = served.client().wire();
  again.send(request);
  EXPECT_THAT(first_event(again), HasSubstr("event: life"));
}

// While the program computes, its pages are told for how long.
TEST(LiveAttack, AProgramThatDoesNotAnswerIsReported) {
  SmallNetwork network;
  Server server(network.trainer(), {.example = batch_of(0)});  // which nobody lets answer
  const Client client(server.address());
  Wire asks = client.wire();
  asks.send(client.request("GET", client.root(), ""));
  std::vector<double> busy;
  client.listen([&](std::string_view event) {
    constexpr std::string_view kHead = "event: life\ndata: ";
    if (event.starts_with(kHead)) {
      busy.push_back(json::parse(event.substr(kHead.size()))["busy"].get<double>());
    }
    return busy.size() < 4;
  });
  EXPECT_GT(busy.back(), 1.5);
  EXPECT_GT(busy.back(), busy.front());
  std::future<Response> asked = std::async(std::launch::async, [&] { return asks.response(); });
  EXPECT_LT(seconds([&] { server.stop(); }), 1);
  EXPECT_EQ(asked.get().status, 503);
  std::string last;
  client.listen([&](std::string_view event) {
    last = event;
    return true;
  });
  EXPECT_THAT(last, HasSubstr("event: end"));
}

TEST(LiveAttack, AThreadThatCannotBeStartedIsAnException) {
  SmallNetwork network;
  // A stack that does not fit, which holds for root, too, unlike a limit of threads.
  pthread_attr_t before, huge;
  pthread_getattr_default_np(&before);
  pthread_attr_init(&huge);
  ASSERT_EQ(pthread_attr_setstacksize(&huge, std::size_t{1} << 60), 0);
  ASSERT_EQ(pthread_setattr_default_np(&huge), 0);
  EXPECT_THAT([&] { Server(network.trainer(), {.example = batch_of(0)}); },
              ThrowsMessage<IoError>(HasSubstr("cannot start the thread")));
  pthread_setattr_default_np(&before);
  EXPECT_NO_THROW(Server(network.trainer(), {.example = batch_of(0)}));
}

// As if the system had nothing left for another client, who waits on.
TEST(LiveAttack, AServerThatCannotAcceptRests) {
  Served served;
  for (const int why : {EMFILE, ENFILE, ENOBUFS, ENOMEM}) {
    accept_fails_with = why;
    Wire waits = served.client().wire();
    waits.send(served.client().request("GET", served.root(), ""));
    const std::clock_t begin = std::clock();  // of all threads
    std::this_thread::sleep_for(500ms);
    EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 0.1) << why;
    accept_fails_with = 0;
    EXPECT_EQ(waits.response().status, 200) << why;
  }
}

TEST(LiveAttack, BrowsersLeaveThePortOutWhereItIsEighty) {
  RequestHead head;
  head.host = "127.0.0.1";
  EXPECT_TRUE(is_from_own_page(head, 80));
  EXPECT_FALSE(is_from_own_page(head, 8080));
  head.host = "localhost:80";
  EXPECT_TRUE(is_from_own_page(head, 80));
  head.has_origin = true;
  head.origin = "http://localhost";
  EXPECT_FALSE(is_from_own_page(head, 80));  // a browser names both alike
  head.host = "localhost";
  EXPECT_TRUE(is_from_own_page(head, 80));
  head.host = "example.org";
  head.origin = "http://example.org";
  EXPECT_FALSE(is_from_own_page(head, 80));
}

}  // namespace
}  // namespace aclgrad::live
