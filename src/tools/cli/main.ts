#!/usr/bin/env node
import { createProcessIo } from './process-io.js';
import { runCli } from './run-cli.js';

/** Maximum time to flush output after an interruption. */
const FLUSH_MS = 2000;

const io = createProcessIo();
// process.exit would drop pending output.
process.exitCode = await runCli(process.argv.slice(2), io);
// A reader that stopped reading must not keep an interrupted process alive.
if (io.isInterrupted()) setTimeout(() => process.exit(), FLUSH_MS).unref();
