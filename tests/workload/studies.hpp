// Studies for tests.
#pragma once

#include "paper_times.hpp"
#include "workload/study.hpp"

namespace ductile::workload {

/// The study of dmr-slurm-mpdata, Tables 1 to 3.
inline Study paper_study() {
    Study study;
    study.classes = {{"small", 0.2, 1, 20, small_s, 16, {}},
                     {"medium", 0.2, 2, 60, medium_s, 32, {}},
                     {"large", 0.6, 4, 100, large_s, 64, {}}};
    return study;
}

}  // namespace ductile::workload
