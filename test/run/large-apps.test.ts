import { describe, expect, it } from 'vitest';
import { defineApp } from '../../src/app/assembling/define-app.js';
import { createEngine } from '../../src/app/engine/create-engine.js';
import type { Document } from '../../src/document/reading/document.js';
import { countTurns, engineOf, service } from './helpers.js';

// Line 2 of the findings: what an app's author writes is worked on in turns as well.

const answering = (): ReturnType<typeof service> => service(() => ({ json: { ok: true } }));

function list<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function engineWithForm(mappableParams: readonly unknown[], placed: string[] = []) {
  const communication = { url: 'https://api.example.test/', response: { output: '{{body}}' } };
  const app = defineApp({ name: 'large', modules: { m: { type: 'action', communication, mappableParams } } });
  const module = app.modules.get('m');
  if (module?.mappableParams === undefined) throw new Error('The module has no form.');
  const form: Document = {
    ...module.mappableParams,
    placeOf: (pointer) => {
      placed.push(pointer);
      return { pointer };
    },
  };
  const modules = new Map([['m', { ...module, mappableParams: form }]]);
  const { transport } = answering();
  return createEngine({ app: { ...app, modules }, transport });
}

describe('a form of many fields', () => {
  const fields = list(5000, (index) => ({ name: `f${index}`, type: 'text' }));

  it('is read and checked without a look for the places of its fields', async () => {
    const placed: string[] = [];
    const report = await engineWithForm(fields, placed)
      .module('m')
      .run({ parameters: { f1: 'x' } });
    expect(report.error).toBeUndefined();
    expect(placed).toEqual([]);
  });

  it('is read in turns, and once', async () => {
    const long = list(5000, (index) => ({
      name: `f${index}`,
      type: 'text',
      label: 'x'.repeat(20),
      options: list(10, String),
    }));
    const module = engineWithForm(long).module('m');
    const first = await countTurns(async () => module.run());
    const second = await countTurns(async () => module.run());
    expect(first.result.error).toBeUndefined();
    expect(first.turns).toBeGreaterThan(second.turns);
  });

  it('names one field where some are wrong', async () => {
    const placed: string[] = [];
    const wrong = list(5000, (index) => ({ name: `f${index}`, type: 'text', required: true }));
    const report = await engineWithForm(wrong, placed).module('m').run();
    expect(report.error?.suberrors).toHaveLength(1001);
    expect(placed.length).toBeLessThanOrEqual(2);
  });
});

describe('a communication', () => {
  it.each<readonly [string, object]>([
    [
      'whose body has many members',
      { method: 'POST', body: list(10_000, (id) => ({ id, a: '{{parameters.a}}' })) },
    ],
    ['whose output is a long text', { response: { output: '{{body.ok}}, '.repeat(20_000) } }],
  ])('%s is made ready in turns', async (_, written) => {
    const { transport } = answering();
    const { run } = engineOf({ url: '/x', ...written }, { transport });
    const first = await countTurns(() => run({ parameters: { a: 1 } }));
    const second = await countTurns(() => run({ parameters: { a: 1 } }));
    expect(first.result.error).toBeUndefined();
    expect(first.turns).toBeGreaterThan(second.turns);
  });

  it('has at most 1000 requests', async () => {
    const { transport } = answering();
    const report = (count: number) =>
      engineOf(
        list(count, () => ({ response: { output: 1 } })),
        { transport },
      ).run();
    expect((await report(1000)).error).toBeUndefined();
    expect((await report(1001)).error).toMatchObject({
      type: 'InvalidConfigurationError',
      message: 'A communication has at most 1000 requests, not 1001.',
    });
  });
});

describe('values that are missing', () => {
  it('are told of up to a thousand, their places found when the trace is read', async () => {
    const output = list(3000, (index) => `{{body.x${index}}}`).join(' ');
    const communication = { url: 'https://api.example.test/', response: { output } };
    const app = defineApp({ name: 'large', modules: { m: { type: 'action', communication } } });
    const module = app.modules.get('m');
    if (module?.communication === undefined) throw new Error('The module has no communication.');
    const placed: string[] = [];
    const written: Document = {
      ...module.communication,
      placeOf: (pointer) => {
        placed.push(pointer);
        return { pointer };
      },
    };
    const modules = new Map([['m', { ...module, communication: written }]]);
    const report = await createEngine({ app: { ...app, modules }, transport: answering().transport })
      .module('m')
      .run();
    expect(report.error).toBeUndefined();
    expect(placed.length).toBeLessThan(10);
    expect(report.trace.filter(({ kind }) => kind === 'missing')).toHaveLength(1000);
    expect(placed.length).toBeGreaterThan(1000);
  });
});
