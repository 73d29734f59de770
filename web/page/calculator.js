// The calculator's page: fields, charts and lists around the program in the worker, which does all calculations.
// SPDX-License-Identifier: Apache-2.0
"use strict";

(function () {
    const byId = (id) => document.getElementById(id);
    const maxFileBytes = 256 * 1024 * 1024, maxOptions = 500;
    const defaults = {
        architecture: "sm_90", threads: 256, registers: 32, static_shared_bytes: 0, dynamic_shared_bytes: 0, barriers: 1,
        carveout: -1, opt_in: "max", opt_in_bytes: 49152, max_threads: 1024, cluster_blocks: 1, sms: 0, grid: 0, cache: "none", caching: "off",
        mode: "driver", gpu: "", kernel: "", unknown: "", rows: "",
    };
    // The smallest and largest values that are passed on: the model reports what is too large for a GPU, and why.
    const ranges = {
        threads: [1, 1e6], registers: [0, 255], static_shared_bytes: [0, 2 ** 30], dynamic_shared_bytes: [0, 2 ** 30], barriers: [0, 1e6],
        carveout: [-1, 100], opt_in_bytes: [0, 2 ** 30], max_threads: [1, 1e6], cluster_blocks: [1, 64], sms: [0, 4096], grid: [0, 2 ** 46],
    };
    const words = {
        architecture: "architecture", threads: "threads per block", registers: "registers per thread",
        static_shared_bytes: "static shared memory", dynamic_shared_bytes: "dynamic shared memory", barriers: "barriers",
        carveout: "carveout", opt_in: "dynamic shared memory limit", opt_in_bytes: "dynamic shared memory limit",
        max_threads: "launch bound", cluster_blocks: "blocks per cluster", sms: "SMs", grid: "blocks of the grid",
        cache: "cache preference", caching: "global caching", mode: "mode", gpu: "GPU",
    };
    // In a report, the calculator has an address that begins with this, and is hidden otherwise.
    const report = byId("report"), prefix = report ? "calculator&" : "";
    const isAsked = () => !report || location.hash.startsWith("#calculator");
    const fields = Object.keys(defaults).filter((name) => words[name]);
    const state = {...defaults};
    let architectures = [];

    // The worker -----------------------------------------------------------------------------------------------------

    const programBytes = Uint8Array.from(atob(byId("program").textContent), (letter) => letter.charCodeAt(0));
    const workerAddress = URL.createObjectURL(new Blob([byId("worker").textContent], {type: "text/javascript"}));

    // One instance of the program. After a failure, such as running out of memory, a new one replaces it.
    class Runner {
        constructor() {
            this.start();
        }
        start() {
            this.waiting = new Map();
            this.next = 0;
            this.worker = new Worker(workerAddress);
            this.worker.onmessage = ({data}) => {
                const {resolve, reject} = this.waiting.get(data.id);
                this.waiting.delete(data.id);
                if (data.failure === undefined) return resolve(data.answer);
                this.restart();
                reject(new Error(data.failure));
            };
            this.post("start", programBytes).catch(() => {});  // the next request fails and reports it
        }
        restart() {
            this.worker.terminate();
            for (const {reject} of this.waiting.values()) reject(new Error("stopped"));
            this.start();
        }
        post(what, input, transfer) {
            return new Promise((resolve, reject) => {
                const id = ++this.next;
                this.waiting.set(id, {resolve, reject});
                this.worker.postMessage({id, what, input}, transfer || []);
            });
        }
    }
    let model = null;
    let files = null;  // separate, so that the model answers while a large file is read

    // Values of the fields -------------------------------------------------------------------------------------------

    const isNumber = (name) => typeof defaults[name] === "number";

    function question() {
        const given = {...state};
        for (const name of ["gpu", "kernel", "unknown", "rows"]) delete given[name];
        return given;
    }

    function chosen() {
        return architectures.find((one) => one.architecture === state.architecture) || architectures[0];
    }

    // The meaning of a text in a field, as the tool reads it: {value} or {error}.
    function fieldValue(name, text) {
        const [low, high] = ranges[name];
        return model.post("field", JSON.stringify({text, kind: name.endsWith("_bytes") ? "bytes" : "number", low, high}));
    }

    // Takes the values of an address. Unreadable ones are reported, and their fields show the default.
    async function readAddress(text) {
        const given = new URLSearchParams(text.replace(/^#/, "")), taken = {...defaults}, refused = [];
        for (const name of Object.keys(defaults)) {
            if (!given.has(name)) continue;
            const value = given.get(name).slice(0, 4096);
            let error = null;
            if (isNumber(name)) {
                const answer = await fieldValue(name, value);
                if (answer.error) error = answer.error;
                else taken[name] = answer.value;
            } else if (name === "architecture" || name === "gpu") {
                const found = value === "" ? {} : await model.post("named", JSON.stringify({text: value}));
                error = found.error;
                if (found.architecture && (name === "architecture" || !given.has("architecture"))) taken.architecture = found.architecture;
                if (found.gpu) taken.gpu = found.gpu;
                if (found.sms && !given.has("sms")) taken.sms = found.sms;
            } else if (words[name] && ![...byId(name).options].some((option) => option.value === value)) {
                error = `'${value}' is not one of ${[...byId(name).options].map((option) => option.value).join(", ")}`;
            } else taken[name] = value;
            if (error) refused.push(`${words[name] || name}: ${error}`);
        }
        Object.assign(state, taken);
        refusals.clear();
        latest.clear();
        byId("address-said").hidden = refused.length === 0;
        byId("address-said").textContent = refused.length === 0 ? "" :
            `Ignored in the address, because it cannot be read: ${refused.join("; ")}.`;
    }

    // Browsers reject an address that changes with every movement of a slider.
    let addressPause = 0;
    function writeAddressSoon() {
        clearTimeout(addressPause);
        addressPause = setTimeout(writeAddress, 200);
    }

    function writeAddress() {
        clearTimeout(addressPause);
        const given = new URLSearchParams();
        for (const name of Object.keys(defaults))
            if (state[name] !== defaults[name] || name === "architecture" || name === "threads" || name === "registers")
                given.set(name, state[name]);
        if (isAsked()) history.replaceState(null, "", "#" + prefix + given);
    }

    function showFields() {
        const row = chosen();
        state.architecture = row.architecture;
        // A model stays selected as long as architecture and SMs are its own.
        if (!row.gpus.some(([gpu, sms]) => gpu === state.gpu && sms === state.sms)) state.gpu = "";
        const sharedMax = Math.max(row.shared_opt_in, state.static_shared_bytes + state.dynamic_shared_bytes);
        byId("static_shared_bytes-slider").max = Math.max(row.shared_per_block, state.static_shared_bytes);
        byId("dynamic_shared_bytes-slider").max = sharedMax;
        byId("registers-slider").max = row.registers;
        // 16 if the largest cluster is not published; the model reports clusters that are too large.
        for (const name of ["cluster_blocks", "cluster_blocks-slider"]) byId(name).max = row.max_cluster || 16;
        for (const name of fields) {
            const field = byId(name), slider = byId(name + "-slider");
            const typing = isNumber(name) && (document.activeElement === field || refusals.has(name) || latest.has(name));
            if (!typing) field.value = state[name];
            if (slider && document.activeElement !== slider) slider.value = state[name];
        }
        const disable = (name, off) => {
            byId(name).disabled = off;
            if (byId(name + "-slider")) byId(name + "-slider").disabled = off;
        };
        disable("cluster_blocks", !row.has_clusters);
        disable("carveout", !row.has_carveout);
        disable("opt_in", row.shared_opt_in === row.shared_per_block);
        byId("opt_in_bytes").hidden = state.opt_in !== "bytes";
        byId("mode").options[1].disabled = !row.spreadsheet;
        byId("kernel-name").hidden = !state.kernel;
        byId("kernel-name").textContent = state.kernel;
        const unknown = state.unknown.split(",").filter((name) => words[name]);
        byId("unknown").hidden = unknown.length === 0;
        byId("unknown").textContent = unknown.length === 0 ? "" :
            `Unknown for this kernel: ${unknown.map((name) => words[name]).join(", ")}. Enter the values of your launch.`;
        showRefusals();
    }

    // Text that cannot be read stays in its field, and the result uses the last valid value.
    const refusals = new Map();
    function showRefusals() {
        for (const name of fields) {
            const said = byId(name + "-said");
            if (!said) continue;
            byId(name).setAttribute("aria-invalid", refusals.has(name));
            if (refusals.has(name)) said.textContent = refusals.get(name);
            said.className = refusals.has(name) ? "said-of-field bad" : "said-of-field faint";
            said.hidden = said.textContent === "";
        }
        byId("refused").textContent = [...refusals.keys()].map((name) =>
            `The result is for ${numberText(state[name])} ${words[name]}, because the text in that field cannot be read.`).join(" ");
    }

    function set(changes) {
        Object.assign(state, changes);
        for (const name of Object.keys(changes)) {
            refusals.delete(name);
            latest.delete(name);
        }
        if (state.unknown)
            state.unknown = changes.unknown || state.unknown.split(",").filter((name) => !(name in changes)).join(",");
        showFields();
        ask();
    }

    // Texts being read; a question waits for them.
    const reading = new Set(), latest = new Map();
    async function take(name, text) {
        const said = byId(name + "-said");
        latest.set(name, text);
        const answer = text.trim() === "" ? {error: "empty: enter a number"} : await fieldValue(name, text);
        if (latest.get(name) !== text) return;  // typing continued, or another value was set
        latest.delete(name);
        if (answer.error) {
            refusals.set(name, answer.error);
        } else {
            refusals.delete(name);
            state[name] = answer.value;
            state.unknown = state.unknown.split(",").filter((one) => one !== name).join(",");
            said.textContent = /^[\d\s-]*$/.test(text) ? "" : `= ${numberText(answer.value)}${name.endsWith("_bytes") ? " B" : ""}`;
        }
        showFields();
    }

    function listen(name) {
        const field = byId(name), slider = byId(name + "-slider");
        if (!isNumber(name)) {
            field.addEventListener("input", () => {
                if (name !== "gpu") return set({[name]: field.value});
                const row = architectures.find((one) => one.gpus.some(([gpu]) => gpu === field.value));
                if (row) set({gpu: field.value, architecture: row.architecture, sms: row.gpus.find(([gpu]) => gpu === field.value)[1]});
                else set({gpu: ""});
            });
            return;
        }
        const said = document.createElement("p");
        said.id = name + "-said";
        said.hidden = true;
        (slider || field).after(said);
        field.setAttribute("aria-describedby", said.id);
        field.addEventListener("input", () => {
            const done = take(name, field.value);
            reading.add(done);
            done.finally(() => reading.delete(done));
            ask();
        });
        // When it loses the focus, a valid field shows its value in digits; an empty one shows the value in use.
        field.addEventListener("change", async () => {
            await Promise.all(reading);
            if (field.value.trim() === "") refusals.delete(name);
            if (!refusals.has(name)) {
                field.value = state[name];
                said.textContent = "";
            }
            showFields();
        });
        field.addEventListener("keydown", (event) => {
            const step = {ArrowUp: 1, ArrowDown: -1}[event.key];
            if (!step || refusals.has(name)) return;
            event.preventDefault();
            const [low, high] = ranges[name];
            set({[name]: Math.max(low, Math.min(high, state[name] + step))});
            field.value = state[name];
        });
        if (slider) slider.addEventListener("input", () => {
            said.textContent = "";
            set({[name]: Number(slider.value)});
            field.value = state[name];
        });
    }
    for (const name of fields) listen(name);
    byId("form").addEventListener("submit", (event) => event.preventDefault());

    // Copies the address's values into the fields, and asks.
    async function readAndAsk(text) {
        clearTimeout(addressPause);
        document.documentElement.dataset.asked = ++asked;
        await readAddress(text);
        for (const name of fields) {
            if (byId(name + "-said")) byId(name + "-said").textContent = "";
            byId(name).value = state[name];
        }
        showFields();
        listRows();
        await ask();
    }

    // The answer -----------------------------------------------------------------------------------------------------

    let asked = 0;
    async function ask() {
        writeAddressSoon();
        const number = ++asked;
        document.documentElement.dataset.asked = number;
        while (reading.size > 0) await Promise.all(reading);
        if (number !== asked) return;
        try {
            const text = JSON.stringify(question());
            const mapText = JSON.stringify({...question(), architectures: rowsShown()});
            const [found, map] = await Promise.all([model.post("occupancy", text), model.post("map", mapText)]);
            if (number !== asked) return;  // a newer question is pending
            if (found.error) throw new Error(found.error);
            showAnswer(found.account);
            showCharts(found.account);
            showMap(map.rows);
        } catch (failure) {
            if (number === asked) byId("obstacle").textContent = "The calculation failed: " + failure.message;
        }
        if (number === asked) document.documentElement.dataset.answered = number;
    }

    const names = {warps: "warps", blocks: "block slots", registers: "registers", shared: "shared memory", barriers: "barriers",
                   clusters: "clusters", threads: "threads"};

    function showAnswer(account) {
        window.account = account;
        byId("occupancy").textContent = percentText(account.occupancy);
        byId("blocks").textContent = numberText(account.resident_blocks);
        byId("warps").textContent = `${numberText(account.resident_warps)} of ${numberText(account.warp_slots)}`;
        const limiters = account.limiters.map((name) => names[name] || name);
        byId("limiters").textContent = limiters.length === 0 ? "" : `Limited by ${limiters.join(" and ")}.`;
        byId("obstacle").textContent = account.obstacle ? `It cannot be launched: ${account.obstacle}.` : "";
        byId("next").textContent = account.next_step
            ? `Cheapest step: ${account.next_step.text} (${percentText(account.next_step.occupancy)}).` : "";
        const waves = account.waves;
        byId("waves").textContent = waves
            ? `${numberText(waves.waves)} waves of ${numberText(waves.blocks_per_wave)} blocks, ${numberText(waves.tail_blocks)} ` +
              `in the last: ${percentText(waves.efficiency)} of the block slots are used.` : "";
        const clusters = account.clusters;
        byId("clusters").textContent = clusters
            ? `About ${clusters.estimate === null ? "?" : numberText(clusters.estimate)} resident clusters of ${clusters.cluster_blocks} ` +
              `(${numberText(clusters.low)} to ${numberText(clusters.high)}); ${clusters.settled_by} on the GPU gives the exact number.`
            : state.cluster_blocks > 1 && !account.obstacle ? "Enter the number of SMs to estimate resident clusters." : "";
        byId("notes").replaceChildren(...account.notes.map((text) => {
            const line = document.createElement("p");
            line.className = "warning";
            line.textContent = text;
            return line;
        }));
        const body = byId("limits").tBodies[0];
        body.replaceChildren();
        for (const [name, limit] of Object.entries(account.limits)) {
            if (limit.blocks === null && limit.steps.length === 0) continue;
            const row = body.insertRow(), limiting = account.limiters.includes(name);
            const cells = [(names[name] || name) + (limiting ? "\u00a0◀" : ""), numberText(limit.blocks),
                           limit.steps.map((step) => step.text).join("; ")];
            cells.forEach((text, i) => {
                const cell = row.insertCell();
                cell.textContent = text;
                cell.className = (i === 1 ? "right " : "") + (limiting ? "strong" : "");
            });
        }
        const thresholds = byId("thresholds").tBodies[0];
        thresholds.replaceChildren();
        for (const slack of account.slack) {
            const more = account.thresholds.find((one) => one.resource === slack.resource);
            const row = thresholds.insertRow();
            [names[slack.resource] || slack.resource, numberText(slack.now), more ? numberText(more.at_most) : "–",
             numberText(slack.at_most)].forEach((text, i) => {
                const cell = row.insertCell();
                cell.textContent = text;
                if (i > 0) cell.className = "right";
            });
        }
    }

    // Charts ---------------------------------------------------------------------------------------------------------

    const curves = {
        threads: {title: "Block size", axis: "threads per block", field: "threads", step: 128},
        registers: {title: "Registers", axis: "registers per thread", field: "registers", step: 32},
        shared: {title: "Shared memory", axis: "bytes per block, static and dynamic", step: 32768},
        barriers: {title: "Barriers", axis: "named barriers", field: "barriers", step: 1},
        clusters: {title: "Cluster size", axis: "blocks per cluster", field: "cluster_blocks", step: 1, y: "resident clusters (estimate)"},
    };
    const charts = new Map();
    let lastAccount = null;

    function hereOf(name) {
        if (name === "shared") return state.static_shared_bytes + state.dynamic_shared_bytes;
        return state[curves[name].field];
    }

    // Copies a value of a curve into the fields.
    function takeValue(name, value) {
        if (name !== "shared") return set({[curves[name].field]: value});
        if (value >= state.static_shared_bytes) set({dynamic_shared_bytes: value - state.static_shared_bytes});
        else set({static_shared_bytes: value, dynamic_shared_bytes: 0});
    }

    function cardOf(name) {
        const card = document.createElement("div");
        card.className = "card";
        card.id = "chart-" + name;
        const title = document.createElement("h3");
        title.textContent = curves[name].title;
        const box = document.createElement("div");
        box.className = "canvas";
        const canvas = document.createElement("canvas");
        canvas.tabIndex = 0;
        canvas.setAttribute("role", "img");
        const said = document.createElement("p");
        said.className = "said faint";
        said.setAttribute("role", "status");
        box.append(canvas);
        card.append(title, box, said);
        byId("charts").append(card);
        return {card, canvas, said, chart: null, points: [], at: -1};
    }

    function pointText(name, entry, at) {
        const [value, height] = entry.points[at], before = at > 0 ? entry.points[at - 1][1] : height;
        const what = name === "clusters" ? "clusters" : "warps";
        let text = `${numberText(value)} ${curves[name].axis}: ${numberText(height)} ${what}`;
        if (name !== "clusters" && lastAccount) text += ` (${percentText(height / lastAccount.warp_slots)})`;
        if (height < before) text += `, ${numberText(before)} before this cliff`;
        return text;
    }

    function showPoint(name, entry, at) {
        entry.at = at;
        const [value, height] = entry.points[at];
        entry.said.textContent = pointText(name, entry, at);
        const index = entry.chart.data.datasets[0].data.findIndex((point) => point.x === value && point.y === height);
        entry.chart.setActiveElements([{datasetIndex: 0, index}]);
        entry.chart.tooltip.setActiveElements([{datasetIndex: 0, index}], {x: 0, y: 0});
        entry.chart.update();
    }

    function onKey(name, entry, event) {
        const points = entry.points;
        if (points.length === 0) return;
        let at = entry.at >= 0 ? entry.at : points.findIndex(([value]) => value >= hereOf(name));
        if (at < 0) at = points.length - 1;
        if (event.key === "Enter" || event.key === " ") {
            event.preventDefault();
            if (entry.at >= 0) takeValue(name, points[entry.at][0]);
            return;
        }
        if (event.key === "Home") at = 0;
        else if (event.key === "End") at = points.length - 1;
        else if (event.key === "ArrowRight") {
            // To the next value at which the height changes, or to the last.
            const height = points[at][1];
            do ++at; while (at < points.length - 1 && points[at][1] === height);
        } else if (event.key === "ArrowLeft") {
            const height = points[at][1];
            do --at; while (at > 0 && points[at][1] === height);
        } else return;
        event.preventDefault();
        showPoint(name, entry, Math.max(0, Math.min(at, points.length - 1)));
    }

    function showCharts(account) {
        lastAccount = account;
        for (const [name, about] of Object.entries(curves)) {
            const points = (account.curves[name] || []).filter((point) => point[1] !== null);
            if (!charts.has(name)) {
                if (points.length === 0) continue;
                const entry = cardOf(name);
                charts.set(name, entry);
                entry.canvas.addEventListener("keydown", (event) => onKey(name, entry, event));
                entry.canvas.addEventListener("blur", () => {
                    entry.at = -1;
                    entry.chart.setActiveElements([]);
                    entry.chart.tooltip.setActiveElements([], {x: 0, y: 0});
                    entry.chart.update();
                });
            }
            const entry = charts.get(name);
            entry.card.hidden = points.length === 0;
            entry.points = points;
            if (points.length > 0) drawChart(name, about, entry, account);
        }
    }

    function drawChart(name, about, entry, account) {
        const top = name === "clusters" ? undefined : account.warp_slots;
        const here = hereOf(name);
        // The last point not above the value; the model's exact answer is shown next to the curve.
        const height = name === "clusters" ? (account.clusters || {}).estimate : account.resident_warps;
        const ink = colour("s0"), strong = colour("s1");
        const data = [
            {label: about.title, data: entry.points.map(([x, y]) => ({x, y})), borderColor: ink, backgroundColor: ink,
             stepped: name === "clusters" || name === "barriers" ? "middle" : name === "threads" ? false : "after",
             pointRadius: 0, pointHoverRadius: 5, borderWidth: 2},
            {label: "here", data: height === null || height === undefined ? [] : [{x: here, y: height}], borderColor: strong,
             backgroundColor: strong, pointRadius: 6, pointHoverRadius: 7, showLine: false,
             clip: 8},  // at full occupancy it is on the edge
        ];
        entry.canvas.setAttribute("aria-label", `${about.title}: ${about.y || "resident warps"} by ${about.axis}; now ` +
            `${numberText(here)}: ${numberText(height)}`);
        const options = baseOptions({title: about.axis, step: about.step}, {title: about.y || "resident warps", from_zero: true, step: top && 8}, (item) => {
            if (item.datasetIndex === 1) return `here: ${numberText(item.parsed.x)}, ${numberText(item.parsed.y)}`;
            return pointText(name, entry, item.dataIndex);
        }, []);
        options.interaction = {mode: "nearest", axis: "x", intersect: false};
        if (top) options.scales.y.max = top;
        options.scales.x.min = entry.points[0][0];
        options.scales.x.max = Math.max(here, entry.points[entry.points.length - 1][0]);
        options.plugins.legend.display = false;
        options.onClick = (event, items) => {
            const item = items.find((one) => one.datasetIndex === 0);
            if (item) takeValue(name, entry.points[item.index][0]);
        };
        if (entry.chart) {
            entry.chart.data.datasets = data;
            entry.chart.options = options;
            entry.chart.update("none");
        } else {
            entry.chart = new Chart(entry.canvas, {type: "line", data: {datasets: data}, options, plugins: [marksPlugin]});
        }
    }
    redraws.push(() => { if (lastAccount) { showCharts(lastAccount); ask(); } });

    // The map of architectures ---------------------------------------------------------------------------------------

    function rowsShown() {
        if (state.rows) return state.rows.split(",");
        const usual = architectures.filter((one) => Number(one.compute_capability.split(".")[0]) >= 7);
        const list = usual.map((one) => one.architecture);
        return list.includes(state.architecture) ? list : [state.architecture, ...list];
    }

    // The models shown for an architecture: the largest for data centres, GeForce, workstations and Jetson.
    function wellKnown(architecture) {
        const row = architectures.find((one) => one.architecture === architecture), best = new Map();
        for (const [gpu, sms] of row ? row.gpus : []) {
            if (/( Ti| Super| Laptop| D| Max-Q| Boost| PCIe| NVL|GB)$/.test(gpu)) continue;
            const family = /^Jetson/.test(gpu) ? "jetson" : /^(GTX|GTS|GT|RTX) \d+$/.test(gpu) ? "geforce"
                : /^(Quadro|RTX|T\d{3}|Titan|GTX Titan|MX)/.test(gpu) ? "workstation" : "centre";
            best.set(family, [...(best.get(family) || []), [gpu, sms]].sort((a, b) => b[1] - a[1]));
        }
        const of = (family, count) => (best.get(family) || []).slice(0, count).map(([gpu]) => gpu);
        return [...of("centre", 2), ...of("geforce", 1), ...of("workstation", 1), ...of("jetson", 1)];
    }

    function shade(part) {
        const steps = [[68, 1, 84], [65, 68, 135], [42, 120, 142], [34, 168, 132], [122, 209, 81], [253, 231, 37]];
        const place = Math.max(0, Math.min(1, part)) * 5, below = Math.min(4, Math.floor(place)), rest = place - below;
        const rgb = steps[below].map((value, i) => Math.round(value * (1 - rest) + steps[below + 1][i] * rest));
        const light = [0.2126, 0.7152, 0.0722].reduce((sum, weight, i) => sum + weight * (rgb[i] / 255) ** 2.2, 0);
        return [`rgb(${rgb.join(",")})`, light < 0.18 ? "#ffffff" : "#000000"];
    }

    let focused = null;  // the cell with the keyboard focus: row and column
    function showMap(rows) {
        const table = byId("map"), held = table.contains(document.activeElement);
        table.replaceChildren();
        if (rows.length === 0) return;
        const head = table.createTHead().insertRow();
        const corner = document.createElement("th");
        corner.textContent = "threads";
        corner.className = "row";
        head.append(corner);
        rows[0].warps.forEach((_, i) => {
            const cell = document.createElement("th");
            cell.scope = "col";
            cell.textContent = numberText(32 * (i + 1));
            head.append(cell);
        });
        const body = table.createTBody();
        rows.forEach((row, r) => {
            const line = body.insertRow(), name = document.createElement("th");
            name.scope = "row";
            name.className = "row";
            name.textContent = row.architecture;
            const gpu = wellKnown(row.architecture)[0];
            if (gpu) {
                const beside = document.createElement("span");
                beside.className = "faint";
                beside.textContent = " " + gpu.replace("Jetson ", "");
                name.append(beside);
            }
            name.dataset.architecture = row.architecture;
            line.append(name);
            row.warps.forEach((warps, c) => {
                const cell = line.insertCell(), percent = Math.round((warps / row.warp_slots) * 100);
                const threads = 32 * (c + 1), here = row.architecture === state.architecture && threads === state.threads;
                [cell.style.background, cell.style.color] = shade(percent / 100);
                cell.textContent = percent;
                cell.title = `${row.architecture}, ${numberText(threads)} threads: ${warps} of ${row.warp_slots} warps`;
                cell.tabIndex = (focused ? focused[0] === r && focused[1] === c : r === 0 && c === 0) ? 0 : -1;
                cell.setAttribute("role", "button");
                cell.setAttribute("aria-label", `${row.architecture}, ${threads} threads: ${percent} %${here ? ", chosen" : ""}`);
                cell.setAttribute("aria-pressed", here);
                if (here) cell.className = "chosen";
            });
        });
        if (held && focused) {
            const cell = body.rows[focused[0]] && body.rows[focused[0]].cells[focused[1] + 1];
            if (cell) cell.focus();
        }
    }
    function placeOf(cell) {
        return [cell.parentElement.sectionRowIndex, cell.cellIndex - 1];
    }
    function chooseCell(cell) {
        if (cell.tagName !== "TD") return;
        focused = placeOf(cell);
        set({architecture: cell.parentElement.cells[0].dataset.architecture, threads: 32 * cell.cellIndex});
    }
    byId("map").addEventListener("click", (event) => chooseCell(event.target));
    byId("map").addEventListener("keydown", (event) => {
        const cell = event.target;
        if (cell.tagName !== "TD") return;
        if (event.key === "Enter" || event.key === " ") {
            event.preventDefault();
            return chooseCell(cell);
        }
        const move = {ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0]}[event.key];
        if (!move) return;
        event.preventDefault();
        const [r, c] = placeOf(cell), rows = cell.parentElement.parentElement.rows;
        const next = rows[r + move[0]] && rows[r + move[0]].cells[c + 1 + move[1]];
        if (!next || next.tagName !== "TD") return;
        cell.tabIndex = -1;
        next.tabIndex = 0;
        focused = placeOf(next);
        next.focus();
    });
    // "sm_90 · H100, GH200"
    function labelOf(architecture, models) {
        const known = wellKnown(architecture).slice(0, models);
        return known.length === 0 ? architecture : `${architecture} · ${known.join(", ")}`;
    }

    function listRows() {
        const shown = rowsShown();
        byId("rows").replaceChildren(...architectures.map((one) => {
            const label = document.createElement("label"), box = document.createElement("input");
            box.type = "checkbox";
            box.style.width = "auto";
            box.style.minHeight = "0";
            box.checked = shown.includes(one.architecture);
            box.addEventListener("change", () => {
                const now = new Set(rowsShown());
                if (box.checked) now.add(one.architecture);
                else now.delete(one.architecture);
                set({rows: architectures.map((row) => row.architecture).filter((name) => now.has(name)).join(",")});
            });
            label.append(box, " " + labelOf(one.architecture, 1));
            return label;
        }));
    }

    // Logs and files -------------------------------------------------------------------------------------------------

    let kernels = [];
    function say(text, tone) {
        byId("read").textContent = text;
        byId("read").className = "said " + (tone || "faint");
    }

    function showFound(found, what) {
        kernels = found.kernels;
        byId("found").hidden = kernels.length === 0;
        byId("filter").value = "";
        listKernels();
        let text = `${what}: ${found.kind}, ${numberText(found.found)} kernel${found.found === 1 ? "" : "s"} with registers`;
        if (found.found > kernels.length) text += `, of which the first ${numberText(kernels.length)} are listed`;
        if (found.only_ptx > 0) text += `, ${numberText(found.only_ptx)} only as PTX`;
        if (found.notes.length > 0) text += ". " + found.notes.join("; ");
        if (found.found === 0 && found.kind === "compiler log")
            text = `${what}: no kernel. It is neither a compiled file nor a log with the "Used N registers" lines of nvcc -Xptxas -v.`;
        else if (found.found === 0 && found.only_ptx === 0)
            text = `${what}: ${found.kind} without a kernel.` + (found.notes.length > 0 ? " " + found.notes.join("; ") : "");
        say(text, found.found === 0 ? "warning" : "faint");
        document.documentElement.dataset.read = Number(document.documentElement.dataset.read || 0) + 1;
        if (kernels.length === 1) takeKernel(kernels[0]);
    }

    function listKernels() {
        const part = byId("filter").value.toLowerCase();
        const wanted = kernels.map((kernel, i) => [kernel, i]).filter(([kernel]) => kernel.demangled.toLowerCase().includes(part));
        byId("kernels").replaceChildren(...wanted.slice(0, maxOptions).map(([kernel, i]) => {
            const option = document.createElement("option");
            option.value = i;
            option.textContent = `${kernel.short} · ${kernel.architecture || "unknown architecture"} · ${kernel.registers === null ? "?" : numberText(kernel.registers)} registers`;
            option.title = kernel.demangled;
            return option;
        }));
        if (wanted.length > maxOptions) {
            const option = document.createElement("option");
            option.disabled = true;
            option.textContent = `${numberText(wanted.length - maxOptions)} more: enter part of the name above`;
            byId("kernels").append(option);
        }
    }

    function takeKernel(kernel) {
        const row = architectures.find((one) => kernel.architecture.replace(/[af]$/, "") === one.architecture);
        const changes = {kernel: kernel.short, unknown: "", dynamic_shared_bytes: 0, cluster_blocks: kernel.cluster_blocks || 1,
                         max_threads: kernel.threads || defaults.max_threads};
        if (row) changes.architecture = row.architecture;
        for (const name of ["registers", "static_shared_bytes", "barriers"])
            if (kernel[name] !== null) changes[name] = kernel[name];
        if (kernel.threads !== null) changes.threads = kernel.threads;
        refusals.clear();
        latest.clear();
        set(changes);
        for (const name of fields) {
            byId(name).value = state[name];
            if (byId(name + "-said")) byId(name + "-said").textContent = "";
        }
        showRefusals();
        const unknown = [];
        if (kernel.architecture && !row) unknown.push(`${kernel.architecture} is not a known architecture`);
        if (kernel.threads === null) unknown.push("it has no launch bound: enter the threads");
        if (kernel.uses_dynamic_shared) unknown.push("it uses dynamic shared memory: enter the size");
        if (unknown.length > 0) say(`${kernel.short}: ${unknown.join("; ")}.`, "warning");
    }

    async function read(what, input, name, transfer) {
        say(`${name}: reading …`);
        byId("found").hidden = true;
        files = files || new Runner();
        try {
            showFound(await files.post(what, input, transfer), name);
        } catch (failure) {
            say(`${name} is too large for this page (${failure.message}); use launchbox inspect.`, "bad");
            document.documentElement.dataset.read = Number(document.documentElement.dataset.read || 0) + 1;
        }
    }

    async function readFile(file) {
        if (!file) return;
        if (file.size > maxFileBytes) {
            byId("found").hidden = true;
            say(`${file.name} has ${Math.round(file.size / 1048576)} MB, but this page reads at most 256 MB; use launchbox inspect.`, "bad");
            document.documentElement.dataset.read = Number(document.documentElement.dataset.read || 0) + 1;
            return;
        }
        try {
            const bytes = await file.arrayBuffer();
            await read("binary", bytes, file.name, [bytes]);
        } catch (failure) {
            say(`${file.name} cannot be read: ${failure.message}`, "bad");
        }
    }

    let pause = 0;
    byId("log").addEventListener("input", () => {
        clearTimeout(pause);
        pause = setTimeout(() => {
            const text = byId("log").value;
            if (text.trim() === "") {
                byId("found").hidden = true;
                return say("");
            }
            read("log", text, "The log");
        }, 150);
    });
    byId("file").addEventListener("change", () => readFile(byId("file").files[0]));
    byId("filter").addEventListener("input", listKernels);
    byId("kernels").addEventListener("change", () => {
        const kernel = kernels[Number(byId("kernels").value)];
        if (kernel) takeKernel(kernel);
    });
    const drop = byId("drop");
    for (const name of ["dragenter", "dragover"])
        document.addEventListener(name, (event) => {
            event.preventDefault();
            drop.classList.add("over");
        });
    for (const name of ["dragleave", "drop"]) document.addEventListener(name, () => drop.classList.remove("over"));
    document.addEventListener("drop", (event) => {
        event.preventDefault();
        readFile(event.dataTransfer.files[0]);
    });
    byId("copy").addEventListener("click", async () => {
        writeAddress();
        try {
            await navigator.clipboard.writeText(location.href);
            byId("copied").textContent = "Copied.";
        } catch {
            byId("copied").textContent = "Copy it from the address bar of the browser.";
        }
    });

    // For tests, and for users who want numbers: many questions at once.
    window.askMany = (numbers) => model.post("many", numbers);
    window.askModel = (given) => model.post("occupancy", JSON.stringify(given));

    const optionOf = (value, text) => {
        const option = document.createElement("option");
        option.value = value;
        option.textContent = text;
        return option;
    };

    async function start() {
        model = new Runner();
        architectures = (await model.post("architectures", "")).architectures;
        byId("architecture").replaceChildren(...architectures.map((one) => optionOf(one.architecture, labelOf(one.architecture, 4))));
        byId("gpu").replaceChildren(optionOf("", "any"), ...[...architectures].reverse().filter((one) => one.gpus.length > 0).map((one) => {
            const group = document.createElement("optgroup");
            group.label = one.architecture;
            group.append(...one.gpus.map(([gpu, sms]) => optionOf(gpu, `${gpu} (${numberText(sms)} SMs)`)));
            return group;
        }));
        await readAndAsk(location.hash.length > 1 ? location.hash : JSON.parse(byId("state").textContent));
        document.documentElement.dataset.calculator = "yes";
        if (!report) document.documentElement.dataset.ready = "yes";
    }

    // Shows the part of a report that its address names: the calculator, or the report at the position where it was
    // left.
    let started = null, place = 0;
    function route() {
        const asked = isAsked();
        if (report) {
            const shown = !byId("calculator").hidden;
            if (asked && !shown) place = scrollY;
            report.hidden = asked;
            byId("calculator").hidden = !asked;
            if (asked && !shown) scrollTo(0, 0);
            if (!asked && shown) scrollTo(0, place);
        }
        if (!asked) return;
        const work = started ? started.then(() => readAndAsk(location.hash)) : (started = start());
        work.catch((failure) => {
            byId("obstacle").textContent = "The calculator did not start: " + failure.message;
        });
    }
    window.addEventListener("hashchange", route);
    route();
})();
