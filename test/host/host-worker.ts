import { openWorker, type WorkerSettings } from './open-worker.js';

/** A worker in a child process. */

const worker = await openWorker(JSON.parse(process.argv[2] ?? '{}') as WorkerSettings);
const { origin, paths, points } = worker;
process.stdout.write(`${JSON.stringify({ origin, paths })}\n`);
await worker.addPoll();

process.on('SIGTERM', () => {
  worker.stop().then(
    () => {
      process.stdout.write(`${JSON.stringify({ points })}\n`);
      process.exit(0);
    },
    () => process.exit(1),
  );
});
