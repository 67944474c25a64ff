#!/usr/bin/env node
import { createProcessIo } from './process-io.js';
import { runCli } from './run-cli.js';

/** How long output may take that is still under way when a process was asked to end. */
const FLUSH_MS = 2000;

const io = createProcessIo();
// Not process.exit: output that is still under way would be lost.
process.exitCode = await runCli(process.argv.slice(2), io);
// Whoever has stopped reading does not keep alive what was asked to end.
if (io.isInterrupted()) setTimeout(() => process.exit(), FLUSH_MS).unref();
