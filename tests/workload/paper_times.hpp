// The iteration times of dmr-slurm-mpdata, Table 2.
#pragma once

#include "workload/efficiency.hpp"

namespace ductile::workload {

inline const IterationTimes small_s{{1, 8.90}, {2, 3.40},  {3, 2.20},  {4, 1.47},
                                    {5, 1.31}, {6, 1.20},  {7, 1.14},  {8, 1.09},
                                    {9, 1.06}, {10, 1.01}, {11, 0.99}, {12, 1.08}};
inline const IterationTimes medium_s{{2, 8.70},  {3, 5.30},  {4, 3.80}, {5, 3.14},
                                     {6, 2.84},  {7, 2.54},  {8, 2.28}, {9, 2.19},
                                     {10, 2.09}, {11, 2.23}, {12, 2.24}};
inline const IterationTimes large_s{{4, 12.20}, {5, 6.10},  {6, 5.40},  {7, 4.80}, {8, 4.65},
                                    {9, 4.44},  {10, 4.39}, {11, 4.19}, {12, 4.18}};

}  // namespace ductile::workload
