#include "pipeline/source/source_shared.h"

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "pipeline/base/channel.h"
#include "pipeline/base/stopwatch.h"

namespace vidconv {
namespace {

Item share(const Item& item, const std::shared_ptr<SharedUpload>& upload) {
  if (const auto* packet = std::get_if<PacketPtr>(&item)) return share_packet(**packet);
  Frame frame = std::get<Frame>(item).share();
  frame.set_upload(upload);
  return frame;
}

}  // namespace

struct SharedSource::Shared {
  struct Place {
    explicit Place(std::size_t capacity) : channel(capacity) {}
    Channel<Item> channel;
    bool asks = false;  // for its first item
    bool left = false;
  };

  Shared(std::unique_ptr<Source> from, std::size_t readers, std::size_t capacity,
         MakeUpload make_upload)
      : source(std::move(from)),
        has_manifest(source->has_manifest()),
        make_upload(std::move(make_upload)) {
    for (std::size_t i = 0; i < readers; ++i) places.emplace_back(capacity);
    thread = std::jthread([this] { read(); });
  }
  ~Shared() {
    for (std::size_t i = 0; i < places.size(); ++i) leave(i);
  }

  void ask(std::size_t number) {
    const std::lock_guard lock(mutex);
    places[number].asks = true;
    changed.notify_all();
  }

  void leave(std::size_t number) {
    places[number].channel.cancel();
    bool last = true;
    {
      const std::lock_guard lock(mutex);
      places[number].left = true;
      for (const Place& place : places) last &= place.left;
      changed.notify_all();
    }
    if (last) source->cancel();
  }

  void stop(const Error& error) {
    {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::make_exception_ptr(error);
    }
    for (Place& place : places) place.channel.cancel();
    source->cancel();
  }

  void read() {
    {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] {
        for (const Place& place : places)
          if (!place.asks && !place.left) return false;
        return true;
      });
    }
    std::exception_ptr thrown;
    try {
      while (std::optional<Item> item = work.time([&] { return source->next(); }))
        if (!hand_on(*item)) break;
    } catch (...) {
      thrown = std::current_exception();
    }
    {
      const std::lock_guard lock(mutex);
      if (!failure) failure = thrown;
      damage = source->damage();
      accounts = source->accounts();
    }
    for (Place& place : places) place.channel.close();
  }

  // Returns false where nobody takes it.
  bool hand_on(const Item& item) {
    const bool uploads = make_upload && std::holds_alternative<Frame>(item);
    const std::shared_ptr<SharedUpload> upload = uploads ? make_upload() : nullptr;
    bool taken = false;
    for (Place& place : places) taken |= place.channel.push(share(item, upload));
    return taken;
  }

  const std::unique_ptr<Source> source;
  const bool has_manifest;  // asked for once, because the source reads its input for that
  const MakeUpload make_upload;
  Stopwatch work;
  std::deque<Place> places;
  mutable std::mutex mutex;  // guards what follows, and the flags of places
  std::condition_variable changed;
  std::exception_ptr failure;
  Damage damage;
  std::vector<PacketStatistics> accounts;
  std::jthread thread;  // ends before all that it uses
};

class SharedSource::Reader final : public Source {
 public:
  Reader(Shared& shared, std::size_t number) : shared_(shared), number_(number) {}
  ~Reader() override { shared_.leave(number_); }

  const VideoInfo& video() const override { return source().video(); }
  UnreadContainer container() const override { return source().container(); }
  int video_stream() const override { return source().video_stream(); }
  std::vector<InputVideo> videos() const override { return source().videos(); }
  bool has_manifest() const override { return shared_.has_manifest; }
  bool on_device() const override { return source().on_device(); }
  std::size_t memory() const override { return source().memory(); }
  std::optional<double> seconds() const override { return shared_.work.seconds(); }

  std::optional<Item> next() override {
    shared_.ask(number_);
    if (std::optional<Item> item = shared_.places[number_].channel.pop()) return item;
    const std::lock_guard lock(shared_.mutex);
    if (shared_.failure && !shared_.places[number_].left) std::rethrow_exception(shared_.failure);
    return std::nullopt;
  }
  void cancel() override { shared_.leave(number_); }

  Damage damage() const override {
    const std::lock_guard lock(shared_.mutex);
    return shared_.damage;
  }
  std::vector<PacketStatistics> accounts() const override {
    const std::lock_guard lock(shared_.mutex);
    return shared_.accounts;
  }

 private:
  const Source& source() const { return *shared_.source; }

  Shared& shared_;
  const std::size_t number_;
};

SharedSource::SharedSource(std::unique_ptr<Source> source, std::size_t readers,
                           std::size_t capacity, MakeUpload make_upload)
    : shared_(
          std::make_unique<Shared>(std::move(source), readers, capacity, std::move(make_upload))) {}
SharedSource::~SharedSource() = default;

std::unique_ptr<Source> SharedSource::reader(std::size_t number) {
  return std::make_unique<Reader>(*shared_, number);
}

void SharedSource::leave(std::size_t number) { shared_->leave(number); }
void SharedSource::stop(const Error& error) { shared_->stop(error); }
const Source& SharedSource::source() const { return *shared_->source; }

}  // namespace vidconv
