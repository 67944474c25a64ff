import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startBookshop } from './service.mjs';

const CLI = fileURLToPath(new URL('../../dist/bin/iml.js', import.meta.url));
const APP = fileURLToPath(new URL('.', import.meta.url));

/** Runs the search module of the app in this folder against its shop: 42 books on five pages. */
async function demo() {
  const { baseUrl, apiKey, close } = await startBookshop();
  const options = ['--base-url', baseUrl, '--allow-local', '--connection', JSON.stringify({ apiKey })];
  console.error(`$ iml run spec-fixtures/bookshop listBooks ${options.slice(0, 3).join(' ')} --connection ...\n`);
  try {
    const [code] = await once(
      spawn(process.execPath, [CLI, 'run', APP, 'listBooks', ...options], { stdio: 'inherit' }),
      'exit',
    );
    return code ?? 1;
  } finally {
    await close();
  }
}

process.exitCode = await demo();
