# shellcheck shell=bash
# Fetches the charting library of the page, plotly.min.js of the Python package plotly, into build/share/ductile. Sourced, after
# steps.sh.
# shellcheck disable=SC2154 # build, deps: set where it is sourced

plotly_wheel=plotly==6.0.1
plotly_sha256=4714db20fea57a435692c548a4eb4fae454f7daddf15f8d8ba7e1045681d7768

provide_charts() {
    local folder=$build/share/ductile stage=$build/charts.new wheel pip_wheel
    [[ ! -s $folder/plotly.min.js ]] || return 0
    say "charts: fetching plotly.js from the Python package index"
    rm -rf "$stage"
    mkdir -p "$stage" "$folder"
    printf '%s --hash=sha256:%s\n' "$plotly_wheel" "$plotly_sha256" >"$stage/wanted.txt"
    for pip_wheel in /usr/share/python-wheels/pip-*.whl "${deps:-$build/deps}"/usr/share/python-wheels/pip-*.whl ''; do
        [[ -z $pip_wheel || -f $pip_wheel ]] && break
    done
    persist 300 charts env PIP_NO_INPUT=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONPATH="$pip_wheel" python3 -m pip \
        --timeout 20 --retries 2 download --no-deps --only-binary=:all: --require-hashes -d "$stage" -r "$stage/wanted.txt" || {
        show_log charts
        fail "cannot fetch plotly.js from the Python package index" "run this again when it answers, or put plotly.min.js" \
            "into $folder yourself; without its page (--no-page) the demo does not need the file"
    }
    wheel=$(echo "$stage"/plotly-*.whl)
    python3 -m zipfile -e "$wheel" "$stage/unpacked"
    cp "$stage"/unpacked/plotly-*.dist-info/LICENSE* "$folder/plotly.LICENSE.txt"
    mv "$stage/unpacked/plotly/package_data/plotly.min.js" "$folder/plotly.min.js"
    rm -rf "$stage"
}
