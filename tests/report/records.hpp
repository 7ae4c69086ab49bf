// Event records of a short job for the tests: 2 ranks on host a grow to 4 on a and b, and shrink
// back.
#pragma once

#include <sstream>

#include "report/timeline.hpp"

namespace ductile::report {

inline const char* const short_job =
    R"({"event":"job_started","time_s":100,"job":"j1","ranks":2,"hosts":1,"program":["/bin/heat","--x"],"mpi":"MPICH 5","rms":"2 hosts"}
{"event":"job_running","time_s":100.5,"ranks":2,"since_start_s":0.5}
{"event":"pace","time_s":101,"clock_s":7.0,"points":40,"ranks":2}
{"event":"pace","time_s":102,"clock_s":8.0,"points":80,"ranks":2}
{"event":"resize","time_s":104,"transaction":1,"kind":"expand","from":2,"to":4,"hosts_before":["a"],"hosts_after":["a","b"],"outcome":"done","why":"","point":90,"since_accepted_s":{"launched":0.01,"ready":0.3,"formed":0.5,"bridged":0.6,"asked":0.61,"announced":0.62,"arrived":0.65,"done":0.75},"total_s":0.75,"stall_s":0.1,"vote_s":0.02,"join_s":0.03,"redistribute_s":0.04,"commit_s":0.01,"bytes_sent":1000000,"peak_bytes":5}
{"event":"pace","time_s":105,"clock_s":11.0,"points":140,"ranks":4}
{"event":"resize","time_s":106,"transaction":2,"kind":"shrink","from":4,"to":2,"hosts_before":["a","b"],"hosts_after":["a"],"outcome":"done","why":"","point":150,"since_accepted_s":{"asked":0.001,"announced":0.002,"arrived":0.01,"done":0.05},"total_s":0.05,"stall_s":0.03,"vote_s":0.01,"join_s":0.0,"redistribute_s":0.01,"commit_s":0.01,"bytes_sent":500000,"peak_bytes":5}
{"event":"rank_ended","time_s":106.01,"group":1,"rank":0,"code":0,"signal":0,"goodbye":true}
{"event":"host_free","time_s":106.1,"host":"b"}
{"event":"host_free","time_s":108,"host":"a"}
{"event":"job_ended","time_s":108.2,"code":0,"seconds":8.2,"resizes":[]}
{"event":"check","time_s":109,"name":"same result","ok":true,"text":"equal <bytes>"}
{"event":"machine","time_s":109,"values":{"cores":"2"}}
)";

inline Timeline read_text(const std::string& text) {
    std::istringstream records(text);
    return read_timeline(records);
}

}  // namespace ductile::report
