import { createEngine, type Engine } from '../../src/engine/create-engine.js';
import { defineApp } from '../../src/engine/loading/define-app.js';
import { type AppTexts, appTexts } from './apps.js';
import { liveBytes } from './live-heap.js';

/** Runs all modules of apps once, keeps the apps, and prints their memory in bytes. */
const count = Number(process.argv[2]);

const transport = async ({ url }: { url: string }) => ({
  status: 200,
  url,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from('{"items":[{"last":"x"}]}'),
});

async function hold({ name, modules }: AppTexts): Promise<Engine> {
  const specs = modules.map((texts, index) => {
    const output = Object.fromEntries(texts.map((text, field) => [`f${field}`, text]));
    const response = { iterate: '{{body.items}}', output };
    return [`m${index}`, { communication: { url: '/items', response } }] as const;
  });
  const base = { baseUrl: 'https://api.example.test' };
  const engine = createEngine({
    app: defineApp({ name, base, modules: Object.fromEntries(specs) }),
    http: { transport },
  });
  for (const [module] of specs) {
    const { error, bundles } = await engine.module(module).run();
    if (error !== undefined || bundles.length !== 1) throw error ?? new Error('No bundle.');
  }
  return engine;
}

// Excludes memory that all apps share.
await hold(appTexts(count));
const before = liveBytes();
const engines: Engine[] = [];
for (let number = 0; number < count; number++) engines.push(await hold(appTexts(number)));
const after = liveBytes();
console.log(engines.length === count ? after - before : 'An app was lost.');
