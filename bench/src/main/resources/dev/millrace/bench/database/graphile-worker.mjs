// Its arguments are the directory that has graphile-worker, and the number of jobs. For each line of standard input, the
// address of a database, it adds the jobs and prints "ready"; for the next line it works until no job is left, and
// prints in how many nanoseconds.
import { createRequire } from "node:module";
import path from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [directory, jobs] = process.argv.slice(2);
const resolve = createRequire(path.resolve(directory, "package.json")).resolve;
const worker = await import(pathToFileURL(resolve("graphile-worker")));
const { default: pg } = await import(pathToFileURL(resolve("pg")));

const quiet = new worker.Logger(() => () => {});
const lines = createInterface({ input: process.stdin });
lines.on("close", () => process.exit(0)); // whatever it does: the benchmark has ended
const input = lines[Symbol.asyncIterator]();
const nextLine = async () => (await input.next()).value;

// What its documentation measures with.
const preset = {
  worker: {
    concurrentJobs: 24,
    localQueue: { size: 500 },
    completeJobBatchDelay: 0,
    failJobBatchDelay: 0,
    logger: quiet,
  },
};
const connections = 25;

async function drain(pgPool) {
  let left = Number(jobs);
  let ended;
  const allRun = new Promise((resolve) => (ended = resolve));
  const start = process.hrtime.bigint();
  const runner = await worker.run({
    preset,
    pgPool,
    noHandleSignals: true,
    taskList: { noop: () => void (--left === 0 && ended()) },
  });
  await allRun;
  const isLeft = "SELECT EXISTS (SELECT FROM graphile_worker.jobs) AS is_left";
  while ((await pgPool.query(isLeft)).rows[0].is_left); // the last of them are being deleted
  const nanos = process.hrtime.bigint() - start;
  await runner.stop();
  return nanos;
}

while (true) {
  const pgPool = new pg.Pool({ connectionString: await nextLine(), max: connections });
  pgPool.on("error", console.error);
  pgPool.on("connect", (client) => client.on("error", console.error));
  await worker.runMigrations({ preset, pgPool });
  await pgPool.query(
    `SELECT count(*) FROM graphile_worker.add_jobs(ARRAY(
       SELECT json_populate_record(null::graphile_worker.job_spec, json_build_object('identifier', 'noop'))
         FROM generate_series(1, $1::int)))`,
    [jobs],
  );
  console.log("ready");
  await nextLine();
  const nanos = await drain(pgPool);
  await pgPool.end();
  console.log(String(nanos));
}
