#include "sim/table_ii.hpp"

#include <algorithm>
#include <stdexcept>

namespace ductile::sim {

using tree::Algorithm;

// clang-format off
const std::array<PrintedRow, 21> table_ii{{
    {0.001, Algorithm::centralized, {{{334, 2050}, {359, 4100}, {399, 8203}, {464, 16409}, {534, 32825}, {613, 65687}, {674, 131363}}}},
    {0.001, Algorithm::shrink_and_balance, {{{378, 2065}, {458, 4124}, {616, 8267}, {715, 16550}, {847, 33123}, {981, 66430}, {1190, 132846}}}},
    {0.001, Algorithm::shrink_and_hash, {{{354, 2072}, {389, 4139}, {436, 8299}, {474, 16620}, {541, 33301}, {582, 66905}, {705, 133697}}}},
    {0.01, Algorithm::centralized, {{{388, 2074}, {472, 4144}, {506, 8285}, {549, 16555}, {655, 33149}, {727, 66312}, {859, 132583}}}},
    {0.01, Algorithm::shrink_and_balance, {{{508, 2172}, {596, 4307}, {718, 8611}, {824, 17161}, {1013, 34478}, {1121, 69014}, {1246, 137853}}}},
    {0.01, Algorithm::shrink_and_hash, {{{402, 2252}, {459, 4456}, {471, 8890}, {520, 17675}, {635, 35615}, {609, 71326}, {688, 142346}}}},
    {0.1, Algorithm::centralized, {{{492, 2263}, {541, 4512}, {611, 8991}, {723, 17999}, {870, 36056}, {1214, 72213}, {1852, 144401}}}},
    {0.1, Algorithm::shrink_and_balance, {{{639, 2595}, {708, 5163}, {835, 10294}, {981, 20657}, {1137, 41518}, {1224, 83342}, {1432, 166660}}}},
    {0.1, Algorithm::shrink_and_hash, {{{442, 3236}, {482, 6437}, {506, 12715}, {566, 25561}, {607, 51414}, {690, 103397}, {743, 206716}}}},
    {0.3, Algorithm::centralized, {{{577, 2671}, {616, 5313}, {797, 10610}, {962, 21238}, {1403, 42589}, {2089, 85326}, {3666, 170567}}}},
    {0.3, Algorithm::shrink_and_balance, {{{677, 3209}, {761, 6348}, {914, 12665}, {1052, 25446}, {1507, 52311}, {1347, 102684}, {1614, 205129}}}},
    {0.3, Algorithm::shrink_and_hash, {{{466, 5114}, {515, 10103}, {542, 20093}, {594, 40342}, {639, 81207}, {680, 163142}, {746, 325774}}}},
    {0.6, Algorithm::centralized, {{{571, 3284}, {673, 6545}, {822, 13120}, {1195, 26209}, {1704, 52479}, {2939, 105015}, {5337, 209854}}}},
    {0.6, Algorithm::shrink_and_balance, {{{735, 3640}, {992, 7581}, {1023, 14525}, {1374, 32384}, {1517, 58917}, {1546, 113569}, {}}}},
    {0.6, Algorithm::shrink_and_hash, {{{497, 7649}, {503, 15215}, {547, 30584}, {602, 61055}, {653, 122353}, {746, 244977}, {804, 489115}}}},
    {0.9, Algorithm::centralized, {{{622, 3914}, {716, 7820}, {970, 15611}, {1401, 31183}, {2119, 62366}, {3903, 124750}, {7823, 249206}}}},
    {0.9, Algorithm::shrink_and_balance, {{{786, 3967}, {905, 7926}, {1116, 15853}, {1330, 31696}, {1614, 63427}, {1785, 126830}, {}}}},
    {0.9, Algorithm::shrink_and_hash, {{{488, 10187}, {535, 20341}, {584, 40584}, {609, 81027}, {678, 162088}, {720, 324209}, {783, 647166}}}},
    {0.99, Algorithm::centralized, {{{625, 4073}, {776, 8158}, {1029, 16314}, {1514, 32636}, {2320, 65247}, {4098, 130513}, {8337, 260982}}}},
    {0.99, Algorithm::shrink_and_balance, {{{800, 4078}, {921, 8170}, {1184, 16342}, {1387, 32685}, {1684, 65341}, {1946, 130686}, {}}}},
    {0.99, Algorithm::shrink_and_hash, {{{495, 10829}, {534, 21711}, {577, 43417}, {621, 86860}, {698, 173606}, {721, 347277}, {802, 694391}}}},
}};
// clang-format on

const PrintedCell& printed_cell(double fraction, Algorithm algorithm, std::size_t column) {
    const auto* const row = std::ranges::find_if(table_ii, [&](const PrintedRow& r) {
        return r.fraction == fraction && r.algorithm == algorithm;
    });
    if (row == table_ii.end()) throw std::out_of_range("Table II has no such row");
    return row->cells.at(column);
}

int members_in(double fraction, std::size_t column) {
    return printed_cell(fraction, Algorithm::centralized, column).messages.value() -
           table_ii_processes.at(column) + 2;
}

}  // namespace ductile::sim
