// The geometry of a line chart: pure functions of numbers.

/** A gap of this many seconds is no line: the server was away. */
const GAP = 20;

/** The paths of a line and of the area below it. Values that are null, and gaps in time, interrupt both. */
export function chartPaths(at, values, x, y, base) {
  const runs = [];
  let run = [];
  at.forEach((time, i) => {
    const value = values[i];
    const known = value !== null && value !== undefined;
    if (run.length > 0 && (!known || time - at[i - 1] > GAP)) {
      runs.push(run);
      run = [];
    }
    if (known) {
      run.push([x(time), y(value)]);
    }
  });
  if (run.length > 0) {
    runs.push(run);
  }
  const point = ([px, py]) => `${px.toFixed(1)} ${py.toFixed(1)}`;
  const line = runs.map((one) => `M${one.map(point).join("L")}${one.length === 1 ? "h1" : ""}`);
  const area = runs.map((one, i) => `${line[i]}V${base}H${one[0][0].toFixed(1)}Z`);
  return { line: line.join(""), area: area.join("") };
}

/** The top of a scale: the next of 1, 2, 5, 10, 20, 50 … above all values. */
export function niceTop(values) {
  let highest = 0;
  for (const value of values) {
    if (value > highest) {
      highest = value;
    }
  }
  if (highest <= 1) {
    return 1;
  }
  const power = 10 ** Math.floor(Math.log10(highest));
  return [1, 2, 5, 10].find((step) => highest <= step * power) * power;
}
