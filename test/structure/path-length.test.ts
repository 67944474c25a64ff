import { afterAll, describe, expect, it } from 'vitest';
import { defineApp } from '../../src/app/assembling/define-app.js';
import { createEngine } from '../../src/app/engine/create-engine.js';
import { httpServer } from '../http/loopback.js';
import { PAGED } from '../run/helpers.js';
import { post, webhookOf } from '../webhook/helpers.js';
import { countFiles, type FileCounter } from './files-passed.js';

describe('how many files a reader has to follow', () => {
  let counter: FileCounter | undefined;
  afterAll(() => counter?.stop());

  it('from one page of a list to the next, with all that sends and receives it', async () => {
    counter = await countFiles();
    const pages: (readonly string[])[] = [];
    const { origin, close } = await httpServer(async ({ url = '' }, out) => {
      const page = Number(new URL(url, 'http://localhost').searchParams.get('page') ?? '1');
      const files = (await counter?.take()) ?? [];
      // From the request of the third page on: what happens once has happened before.
      if (page > 3) pages.push(ofOurs(files));
      out.setHeader('Content-Type', 'application/json');
      out.end(JSON.stringify({ items: page < 9 ? [{ id: page }] : [] }));
    });
    const modules = { list: { type: 'search' as const, communication: PAGED } };
    const app = defineApp({ name: 'test', base: { baseUrl: origin }, modules });
    await using engine = createEngine({ app, network: { allow: ['loopback'] } });
    await engine.module('list').run().orThrow();
    await close();
    // A page that comes before its connection is free again opens another one.
    const [passed = []] = pages.toSorted((a, b) => a.length - b.length);
    expect(passed).toContain('run/paging/paginate.ts');
    expect(passed.length, passed.join('\n')).toBeLessThanOrEqual(30);
  });

  it('from the call of a webhook to its answer', async () => {
    counter ??= await countFiles();
    const webhook = webhookOf({
      verification: { condition: "{{headers.x-token = 'a'}}" },
      iterate: '{{body.items}}',
      output: '{{item}}',
      respond: { status: 202, body: '{{body.id}}' },
    });
    const ask = () => webhook.handle(post({ id: 1, items: [{ id: 1 }, { id: 2 }] }, { 'x-token': 'a' }));
    await ask();
    await counter.take();
    await ask();
    const passed = ofOurs(await counter.take());
    expect(passed).toContain('webhook/process-webhook.ts');
    expect(passed.length, passed.join('\n')).toBeLessThanOrEqual(38);
  });
});

/** Without what stands in for a clock or a service here. */
function ofOurs(files: readonly string[]): readonly string[] {
  return files.filter((file) => !file.startsWith('testing/'));
}
