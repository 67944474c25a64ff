#!/usr/bin/env node
import { createProcessIo } from './process-io.js';
import { runCli } from './run-cli.js';

// Not process.exit: output that is still under way would be lost.
process.exitCode = await runCli(process.argv.slice(2), createProcessIo());
