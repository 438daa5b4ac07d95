// --regions filters in the boxes of a detector.
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/support/cli_test.h"

namespace vidconv::test {
namespace {

class BoxFiles : public CliTest {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }
  static Result filter(const std::string& regions, const Arguments& more = {},
                       const std::string& kernel = "gaussian:sigma=3") {
    Arguments all{"pattern:64x48@10#4", "-o", "md5:", "--kernel", kernel, "--regions", regions};
    all.insert(all.end(), more.begin(), more.end());
    return run_vidconv(all);
  }
  // Returns the frames that a filter with a fixed region at the same place gives.
  static std::vector<std::string> by_region(const std::string& place) {
    return parse_digests(run_vidconv({"pattern:64x48@10#4", "-o", "md5:", "--kernel",
                                      "gaussian:sigma=3:region=" + place})
                             .out)
        .frames;
  }
};

const char* const two_lines =
    "{\"frame\": 1, \"id\": 7, \"box\": [10, 8, 16, 12]}\n"
    "\n"
    "{\"frame\": 3, \"id\": 7, \"box\": [20, 8, 16, 12], \"score\": 0.9}\n";

TEST_F(BoxFiles, AreRegionsOfEachFrame) {
  const Result result = filter(write("a.jsonl", two_lines), {"--verify"});
  EXPECT_TRUE(succeeded(result));
  const std::vector<std::string> frames = parse_digests(result.out).frames;
  ASSERT_EQ(frames.size(), 4u);
  const std::vector<std::string> untouched =
      parse_digests(run_vidconv({"pattern:64x48@10#4", "-o", "md5:", "--kernel", "identity"}).out)
          .frames;
  EXPECT_EQ(frames[0], untouched[0]);
  EXPECT_EQ(frames[1], by_region("10,8,16,12")[1]);
  EXPECT_EQ(frames[2], by_region("15,8,16,12")[2]);
  EXPECT_EQ(frames[3], by_region("20,8,16,12")[3]);
  EXPECT_TRUE(has_line_with(result.err, {"4 verified"}));
  EXPECT_EQ(filter(path("a.jsonl"), {"--threads", "3", "--slots", "1"}).out, result.out);
}

TEST_F(BoxFiles, AreCountedFromTheInputsBeginning) {
  for (const char* where : {"\"frame\": 2", "\"time\": 0.2"}) {
    const std::string file =
        write("a.jsonl", std::string("{") + where + ", \"box\": [10, 8, 16, 12]}");
    const Result late = filter(file, {"--start", "0.1"});
    EXPECT_TRUE(succeeded(late));
    EXPECT_EQ(parse_digests(late.out).frames.at(1), by_region("10,8,16,12").at(2)) << where;
  }
}

TEST_F(BoxFiles, OfEveryKindSayTheSame) {
  const std::string expected = filter(write("a.jsonl", two_lines)).out;
  EXPECT_EQ(filter(write("mot.txt", "2,7,10,8,16,12,1,-1,-1,-1\n4,7,20,8,16,12,1,-1,-1,-1\n")).out,
            expected);
  EXPECT_EQ(filter(write("b.csv",
                         "frame,track_id,x1,y1,x2,y2,score\n1,7,10,8,26,20,1\n"
                         "3,7,20,8,36,20,1\n"))
                .out,
            expected);
  EXPECT_EQ(filter(write("c.csv",
                         "Time;ID;Left;Top;Width;Height\n0.1;7;10;8;16;12\n"
                         "0.3;7;20;8;16;12\n"))
                .out,
            expected);
  EXPECT_EQ(filter(write("d.jsonl",
                         "# from a detector\n"
                         "{\"time\": 0.1, \"id\": \"x\", \"box\": [12, 10, 12, 8]}\n"
                         "{\"time\": 0.3, \"id\": \"x\", \"box\": [22, 10, 12, 8]}\n") +
                   ":grow=20%")
                .out.size(),
            expected.size());
}

// The dialects are those of spreadsheets of all countries.
TEST_F(BoxFiles, OfEveryDialectSayTheSame) {
  const std::string expected =
      filter(write("a.jsonl",
                   "{\"frame\": 0, \"id\": 1, \"box\": [20.5, 8, 16.25, 12]}\n"
                   "{\"frame\": 3, \"id\": 1, \"box\": [12.5, 8, 16.25, 12]}\n"))
          .out;
  ASSERT_NE(expected, "");
  for (const char* text : {
           "frame;id;x;y;width;height\n0;1;20,5;8;16,25;12\n3;1;12,5;8;16,25;12\n",
           "frame;id;x;y;width;height\n0;1;20.5;8;16.25;12\n3;1;12.5;8;16.25;12\n",
           "frame\tid\tx\ty\twidth\theight\n0\t1\t20,5\t8\t16,25\t12\n3\t1\t12,5\t8\t16,25\t12\n",
           "\xEF\xBB\xBF\"frame\",\"id\",\"x\",\"y\",\"width\",\"height\"\r\n0,1,20.5,8,16.25,"
           "12\r\n"
           "3,1,12.5,8,16.25,12\r\n",
           "frame,label,id,x,y,width,height\n0,\"face, 0.95\",1,20.5,8,16.25,12\n"
           "3,\"a \"\"face\"\"\",1,12.5,8,16.25,12\n",
           "frame;label;id;x;y;width;height\n0;\"face; 0,95\";1;20,5;8;16,25;12\n"
           "3;;1;12,5;8;16,25;12\n",
           "frame,id,x,y,width,height\n0,1,2.05e1,+8,1625e-2,12\n3.0,1,12.5,8,16.25,12\n",
           " frame , id , x , y , width , height \n 0 , 1 , 20.5 , 8 , 16.25 , 12 \n"
           " 3 , 1 , 12.5 , 8 , 16.25 , 12 \n",
           "1;1;20,5;8;16,25;12\n4;1;12,5;8;16,25;12\n",
           "[{\"frame\": 0, \"id\": 1, \"box\": [20.5, 8, 16.25, 12]},\n"
           " {\"frame\": 3, \"id\": 1, \"box\": [12.5, 8, 16.25, 12]}]",
       })
    EXPECT_EQ(filter(write("b.csv", text)).out, expected) << text;
}

TEST_F(BoxFiles, InPartsOfThePicture) {
  const std::string parts = write("a.csv", "frame,x,y,w,h\n2,0.25,0.25,0.5,0.125\n3,0.5,0,0.5,1\n");
  const std::string pixels = write("b.csv", "frame,x,y,w,h\n2,16,12,32,6\n3,32,0,32,48\n");
  const Result relative = filter(parts + ":units=relative");
  EXPECT_TRUE(succeeded(relative));
  EXPECT_EQ(relative.out, filter(pixels).out);
  EXPECT_EQ(filter(parts + ":units=relative:grow=50%:shape=ellipse").out,
            filter(pixels + ":units=pixels:grow=50%:shape=ellipse").out);
  // A box may really be smaller than a pixel.
  EXPECT_TRUE(succeeded(filter(parts + ":units=pixels")));
}

TEST_F(BoxFiles, ShapeOverridesWhatLinesSay) {
  const std::string round =
      write("a.jsonl", "{\"frame\": 2, \"box\": [20, 10, 10, 10], \"shape\": \"ellipse\"}");
  EXPECT_EQ(parse_digests(filter(round + ":shape=rectangle").out).frames[2],
            by_region("20,10,10,10")[2]);
  EXPECT_NE(filter(round).out, filter(round + ":shape=rectangle").out);
}

// Ellipses, feather and margins give the same as a mask that draws them.
TEST_F(BoxFiles, GrowAndFeather) {
  const std::string box = write("a.jsonl", "{\"frame\": 2, \"box\": [20, 10, 10, 10]}");
  EXPECT_EQ(parse_digests(filter(box + ":grow=10%").out).frames[2], by_region("19,9,12,12")[2]);
  EXPECT_EQ(parse_digests(filter(box + ":feather=3").out).frames[2],
            by_region("20,10,10,10:feather=3")[2]);
  const std::string ellipse = filter(box + ":shape=ellipse").out;
  EXPECT_NE(ellipse, filter(box).out);
  EXPECT_EQ(
      filter(write("b.jsonl", "{\"frame\": 2, \"box\": [20, 10, 10, 10], \"shape\": \"ellipse\"}"))
          .out,
      ellipse);
}

TEST_F(BoxFiles, TheLedgerSaysWhereTheyWere) {
  EXPECT_TRUE(succeeded(filter(write("a.jsonl", two_lines), {"--stats", path("s.json")})));
  const auto stats = nlohmann::json::parse(std::ifstream(path("s.json")));
  const auto expected = nlohmann::json::parse(
      R"([{"id": "7", "line": 1, "boxes": 2, "frames": 3, "first": 1, "last": 3}])");
  EXPECT_EQ(stats["ledger"]["regions"], expected);
}

TEST_F(BoxFiles, NeverAppliedIsAFailure) {
  const std::string late = write("a.jsonl", "{\"frame\": 4, \"box\": [1, 1, 9, 9]}");
  const std::string beside = write("b.jsonl", "{\"frame\": 0, \"box\": [64, 1, 9, 9]}");
  EXPECT_TRUE(refused(filter(late), exit_command_line,
                      {"not applied", "a.jsonl", "line 1", "no frame 4", "[filter-spec]"}));
  EXPECT_TRUE(refused(filter(beside), exit_command_line, {"outside the picture", "64x48"}));
  EXPECT_TRUE(refused(run_vidconv({"pattern:64x48@10#4", "-o", path("out.mkv"), "--kernel", "box",
                                   "--regions", late}),
                      exit_command_line, {"not applied"}));
  EXPECT_FALSE(std::filesystem::exists(path("out.mkv")));
  // A run over a range of the input cannot know that the boxes match no frame of the rest.
  EXPECT_TRUE(succeeded(filter(late, {"--frames", "3"})));
}

// A filter's number is its place in the chain, whatever other filters act on the frame.
TEST_F(BoxFiles, OfFiltersThatComeAndGo) {
  const std::string file = write("a.jsonl",
                                 "{\"frame\": 1, \"box\": [10, 8, 16, 12], \"filter\": 2}\n"
                                 "{\"frame\": 2, \"box\": [10, 8, 16, 12], \"filter\": 2}\n");
  const Result result = filter(file, {"--kernel", "gaussian:sigma=3"}, "identity:between=f2-f3");
  EXPECT_TRUE(succeeded(result));
  EXPECT_EQ(parse_digests(result.out).frames[1], by_region("10,8,16,12")[1]);
  EXPECT_EQ(parse_digests(result.out).frames[2], by_region("10,8,16,12")[2]);
  // Boxes where their filter does not act are lost.
  EXPECT_TRUE(refused(filter(file, {"--kernel", "gaussian:sigma=3:between=f2-f3"}, "identity"),
                      exit_command_line, {"line 1", "acted on no frame 1"}));
}

TEST_F(BoxFiles, WrongOnesAreRefused) {
  struct Wrong {
    const char* text;
    std::vector<std::string> says;
  };
  for (const Wrong& wrong : std::vector<Wrong>{
           {"", {"holds none"}},
           {"[1, 2]", {"line 1", "it is no object"}},
           {"{\"frame\": 1}", {"line 1", "needs a box"}},
           {"{\"box\": [1, 2, 3, 4]}", {"needs a frame or a time"}},
           {"{\"frame\": 1, \"time\": 1, \"box\": [1, 2, 3, 4]}", {"not both"}},
           {"{\"frame\": 1.5, \"box\": [1, 2, 3, 4]}", {"frame is not a whole number"}},
           {"{\"frame\": -1, \"box\": [1, 2, 3, 4]}", {"no frame -1"}},
           {"\n{\"frame\": 1, \"box\": [1, 2, 0, 4]}", {"line 2", "holds nothing"}},
           {"{\"frame\": 1, \"box\": [1, 2, \"3\", 4]}", {"not a number"}},
           {"{\"frame\": 1, \"box\": [1, 2, 3, 4], \"shape\": \"star\"}", {"'star'"}},
           {"frame,x,y,w,h,filter\n1,1,2,3,4,1e15\n", {"line 2", "there is no filter 1e+15"}},
           {"frame,x,y,w,h,filter\n1,1,2,3,4,0.5\n", {"line 2", "there is no filter 0.5"}},
           {"{\"frame\": 1, \"box\": [1, 2, 3, 4], \"filter\": 2}",
            {"line 1 names filter 2 of a chain of 1"}},
           {"{\"frame\": 1, \"box\": [1, 2", {"line 1", "column 26", "no JSON object"}},
           {"{\"frame\": 1, \"id\": 4, \"box\": [1, 2, 3, 4]}\n"
            "{\"frame\": 1, \"id\": 4, \"box\": [5, 2, 3, 4]}",
            {"line 2", "id 4 has a box at that frame already, in line 1"}},
           {"0,-1,1,2,3,4", {"line 1", "counted from 1"}},
           {"frame,x,y\n1,2,3", {"line 1", "heading needs columns"}},
           {"a,x,y,w,h\n1,2,3,4,5", {"frame or time"}},
           {"frame,x,y,w,h\n1,2,3,4", {"line 2", "it has 4 cells, and the first line has 5"}},
           {"frame,x,y,w,h\n1,2,3,4,5,6", {"line 2", "it has 6 cells"}},
           {"frame;x;y;w;h\n1,2,3,4,5", {"line 2", "1 cells", "semicolons in this file"}},
           {"frame,x,y,w,h\n1,20,5,30,40,5", {"line 2", "6 cells", "commas in this file"}},
           {"frame;x;y;w;h\n1;1.2,5;3;4;5", {"line 2", "cell 2: its x, '1.2,5', is not a number"}},
           {"frame,x,y,w,h\n1,\"2,3,4,5", {"line 2", "a quote is not closed"}},
           {"frame,x,y,w,h\n1,a\"2\",3,4,5", {"line 2", "a quote is not closed, or stands"}},
           {"frame,x,left,y,w,h\n1,2,2,3,4,5", {"line 1", "two columns for x"}},
           {"frame,x,y,w,h\n1.9,2,3,4,5",
            {"line 2", "cell 1: its frame, 1.9, is not a whole number"}},
           {"{\"frame\": 1, \"bbox\": [1, 2, 3, 4]}", {"line 1", "two corners", "write it as box"}},
           {"{\"frame\": 1, \"frame\": 2, \"box\": [1, 2, 3, 4]}",
            {"line 1", "'frame' is said twice"}},
           {"[{\"frame\": 1, \"box\": [1, 2, 3, 4]}, 5]", {"line 2", "it is no object"}},
           {"frame,x,y,w,h\n0,0.1,0.1,0.5,0.5\n1,0.2,0.1,0.5,0.5",
            {"their numbers are from 0 to 1", ":units=relative"}},
           {"1,2,3", {"it has no y"}}})
    EXPECT_TRUE(refused(filter(write("w", wrong.text)), exit_command_line, wrong.says))
        << wrong.text;
}

TEST_F(BoxFiles, WrongUsesAreRefused) {
  const std::string file = write("a.jsonl", two_lines);
  const auto wrong = [&](const std::string& regions, const std::vector<std::string>& says,
                         const Arguments& more = {}) {
    EXPECT_TRUE(refused(filter(regions, more), exit_command_line, says)) << regions;
  };
  wrong(path("none.jsonl"), {"cannot read the boxes", "No such file"});
  wrong(file + ":grow=10", {"column", "percentage"});
  wrong(file + ":shape=star", {"rectangle or ellipse"});
  wrong(file + ":feather=-1", {"from 0 to 1000"});
  wrong(file + ":units=metres", {"pixels or relative"});
  wrong(file + ":feather=3:gorw=5%", {"unknown key 'gorw' (did you mean 'grow'?)"});
  wrong(":grow=5%", {"no file is named"});
  wrong(file, {"one video"}, {"--video", "all"});
  EXPECT_TRUE(
      refused(filter(file, {}, "box:region=0,0,9,9"), exit_command_line, {"region of its own"}));
}

}  // namespace
}  // namespace vidconv::test
