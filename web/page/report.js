// Draws the charts of a report, changes tabs, and shows the numbers behind a chart.
// SPDX-License-Identifier: Apache-2.0
"use strict";

(function () {
    const {texts, charts} = JSON.parse(document.getElementById("chart-data").textContent);
    const drawn = new Map();
    const maxRows = 500;

    function textOf(series, i) {
        return series.labels ? texts[series.labels[i]] : "";
    }

    function dataset(series, i, sideways) {
        const ink = colour("s" + (i % 6));
        const bars = series.look === "bars";
        const many = series.x.length > 2000;
        const data = {
            label: series.name,
            type: bars ? "bar" : "line",
            data: bars && sideways ? series.x : series.x.map((x, k) => ({x, y: series.y[k]})),
            borderColor: ink,
            backgroundColor: ink + (bars || series.strong ? "" : "b0"),
            low: series.low,
            high: series.high,
            series,
        };
        if (bars) {
            data.barThickness = 16;
            return data;
        }
        const dots = series.look === "dots";
        data.showLine = !dots;
        data.stepped = series.look === "steps" ? "after" : false;
        data.pointRadius = series.strong ? 7 : dots ? (many ? 1.5 : 3) : 2;
        data.pointHoverRadius = data.pointRadius + 2;
        data.pointStyle = series.strong ? "rectRot" : "circle";
        data.pointBorderWidth = 0;
        data.order = series.strong ? 0 : 1;
        return data;
    }

    function draw(id) {
        const canvas = document.getElementById(id), chart = charts[id];
        if (drawn.has(id)) drawn.get(id).destroy();
        const bars = chart.series.some((series) => series.look === "bars");
        const sideways = bars && !!chart.y.categories;
        if (chart.y.categories) canvas.parentElement.style.height = 90 + 30 * chart.y.categories.length + "px";
        const said = (item) => {
            const series = item.dataset.series, text = textOf(series, item.dataIndex);
            if (bars && text) return text;
            const x = numberText(series.x[item.dataIndex]), y = numberText(series.y[item.dataIndex]);
            const values = chart.y.categories ? `${chart.x.title}: ${x}` : `${chart.x.title}: ${x}, ${chart.y.title}: ${y}`;
            return text ? [text, values] : values;
        };
        const options = baseOptions(chart.x, chart.y, said, chart.marks);
        options.plugins.legend.display = chart.series.length > 1;
        // Intervals must be within their axis.
        const ends = chart.series.flatMap((series) => [...(series.low || []), ...(series.high || [])]).filter(Number.isFinite);
        if (ends.length) {
            const along = options.scales[chart.y.categories ? "x" : "y"];
            along.suggestedMin = ends.reduce((one, other) => Math.min(one, other));
            along.suggestedMax = ends.reduce((one, other) => Math.max(one, other));
        }
        if (chart.y.categories) options.scales.y.reverse = !sideways;
        if (sideways) {
            options.indexAxis = "y";
            options.scales.y = {...options.scales.y, type: "category", labels: chart.y.categories, afterBuildTicks: undefined,
                                min: undefined, max: undefined};
            const room = Math.max(16, Math.floor(window.innerWidth / 20));
            options.scales.y.ticks = {...options.scales.y.ticks, callback: (_, i) => shortened(chart.y.categories[i], room)};
        }
        drawn.set(id, new Chart(canvas, {
            type: bars ? "bar" : "line",
            data: {datasets: chart.series.map((series, i) => dataset(series, i, sideways))},
            options,
            plugins: [marksPlugin, intervalsPlugin],
        }));
        window.drawnCharts = drawn.size;
    }

    // Only visible charts are drawn: a report can have hundreds.
    const seen = new IntersectionObserver((entries) => {
        for (const entry of entries)
            if (entry.isIntersecting && !drawn.has(entry.target.id)) draw(entry.target.id);
    }, {rootMargin: "200px"});
    for (const id of Object.keys(charts)) seen.observe(document.getElementById(id));
    redraws.push(() => [...drawn.keys()].forEach(draw));
    window.addEventListener("beforeprint", () => Object.keys(charts).forEach((id) => {
        if (!drawn.has(id) && document.getElementById(id).offsetParent) draw(id);
    }));

    function choose(tab) {
        for (const other of tab.parentElement.children) {
            const chosen = other === tab;
            other.setAttribute("aria-selected", chosen);
            other.tabIndex = chosen ? 0 : -1;
            document.getElementById(other.getAttribute("aria-controls")).hidden = !chosen;
        }
        tab.focus();
    }
    for (const list of document.querySelectorAll("[role=tablist]")) {
        list.addEventListener("click", (event) => {
            if (event.target.getAttribute("role") === "tab") choose(event.target);
        });
        list.addEventListener("keydown", (event) => {
            const tabs = [...list.children], at = tabs.indexOf(event.target);
            const to = {ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1}[event.key];
            if (to === undefined || at < 0) return;
            event.preventDefault();
            choose(tabs[(to + tabs.length) % tabs.length]);
        });
    }

    // The points of a chart as a table, for those who cannot see or hover.
    for (const details of document.querySelectorAll("details.numbers"))
        details.addEventListener("toggle", () => {
            if (!details.open || details.children.length > 1) return;
            const chart = charts[details.dataset.chart];
            const box = document.createElement("div"), table = document.createElement("table");
            box.className = "scroll";
            box.tabIndex = 0;
            box.append(table);
            const addRow = (cells, kind) => {
                const row = table.insertRow();
                for (const text of cells) {
                    const cell = document.createElement(kind);
                    cell.textContent = text;
                    row.append(cell);
                }
            };
            addRow(["", chart.x.title, chart.y.title || "", ""], "th");
            let left = maxRows, all = 0;
            for (const series of chart.series) {
                all += series.x.length;
                for (let i = 0; i < series.x.length && left > 0; ++i, --left) {
                    const y = chart.y.categories ? chart.y.categories[Math.round(series.y[i])] : numberText(series.y[i]);
                    addRow([series.name, numberText(series.x[i]), y, textOf(series, i)], "td");
                }
            }
            details.append(box);
            if (all > maxRows) {
                const more = document.createElement("p");
                more.textContent = `The first ${maxRows} of ${all}.`;
                details.append(more);
            }
        });
    document.documentElement.dataset.ready = "yes";
})();
