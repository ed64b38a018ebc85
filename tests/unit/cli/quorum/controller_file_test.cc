// SPDX-License-Identifier: Apache-2.0
// What is read of a controller's file, and what is said if it is none.
#include "quorum/controller_file.h"

#include <gtest/gtest.h>

#include "sim/world.h"

namespace milena::cli {
namespace {

constexpr std::string_view kFile =
    "process.roles=broker, controller\nnode.id=3\n"
    "listeners=PLAINTEXT://:9092,CONTROLLER://:9093,OTHER://[::1]:9094\n"
    "advertised.listeners=PLAINTEXT://b:9092,CONTROLLER://c3:19093\n"
    "controller.listener.names=CONTROLLER,OTHER\nlog.dirs=/d1,/d2\n";

struct ControllerFileTest : testing::Test {
    Result<ControllerFile> read(std::string text) {
        EXPECT_TRUE(env::replace_file(files, "/c", text));
        return read_controller_file(files, "/c");
    }
    std::string why(std::string text) { return read(std::move(text)).error().why; }
    void format(const std::string& directory) {
        EXPECT_TRUE(files.create_directories(directory));
        EXPECT_TRUE(env::replace_file(files, directory + "/meta.properties",
                                      "version=1\ncluster.id=c\nnode.id=3\n"
                                      "directory.id=AAAAAAAAAAAAAAAAAAAB3A\n"));
    }
    static std::string without(std::string_view line) {
        std::string text(kFile);
        const auto begin = text.find(line);
        return text.erase(begin, text.find('\n', begin) - begin);
    }

    sim::World world{1};
    env::FileSystem& files = world.add_node("n").files();
};

TEST_F(ControllerFileTest, TheVoterIsReadAsItIsAdvertised) {
    format("/d1");
    const auto controller = read(std::string(kFile));
    ASSERT_TRUE(controller) << controller.error().why;
    EXPECT_EQ(controller->text(),
              "controller 3 with directory id AAAAAAAAAAAAAAAAAAAB3A and endpoints: "
              "CONTROLLER://c3:19093, OTHER://[::1]:9094");
    EXPECT_EQ(why(std::string(kFile) + "metadata.log.dir=/d3\n"),
              "Unable to read meta.properties from /d3");
}

TEST_F(ControllerFileTest, AFileThatIsNotAControllersIsRefused) {
    format("/d1");
    constexpr std::string_view kQuestion = " Is this a valid controller configuration file?";
    const auto starts = [&](const std::string& text, std::string_view with) {
        EXPECT_EQ(text, std::string(with) + std::string(kQuestion));
    };
    starts(why(without("node.id")), "node.id not found in configuration file.");
    starts(why(without("node.id") + "node.id=-1\n"), "node.id was negative in configuration file.");
    starts(why(without("process.roles")),
           "process.roles did not contain 'controller' in configuration file.");
    starts(why(without("log.dirs")), "Neither metadata.log.dir nor log.dirs were found.");
    starts(why(without("controller.listener.names")), "controller.listener.names was not found.");
    EXPECT_EQ(why(without("controller.listener.names") + "controller.listener.names=X\n"),
              "Cannot find information about controller listener name: X");
}

}  // namespace
}  // namespace milena::cli
