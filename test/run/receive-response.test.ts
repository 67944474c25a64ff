import { describe, expect, it } from 'vitest';
import { compileDirective } from '../../src/engine/document/compile-directive.js';
import { compileResponse } from '../../src/engine/document/compile-request.js';
import { decodeResponse, extendTemp } from '../../src/engine/run/exchange.js';
import { toEnvironment } from '../../src/language/environment.js';
import { contextOf } from './context-of.js';
import { respond } from './helpers.js';

const directives = { environment: toEnvironment({}), functions: {} };

function extend(temp: unknown, scope: Record<string, unknown>): unknown {
  const context = contextOf(scope);
  return extendTemp(compileDirective(temp, '/response/temp', directives), context).scope['temp'];
}

describe('temp', () => {
  it.each([
    ['nothing', undefined],
    ['null', null],
    ['an expression that gives nothing', '{{none}}'],
  ])('stays as it is where %s is written', (_, temp) => {
    const context = contextOf({ temp: { a: 1 } });
    expect(extendTemp(compileDirective(temp, '/response/temp', directives), context)).toBe(context);
  });

  it.each([
    [{ b: 2 }, { a: 1 }, { a: 1, b: 2 }],
    [{ a: 2 }, { a: 1 }, { a: 2 }],
    [{ a: '{{none}}' }, { a: 1, b: 2 }, { a: 1, b: 2 }],
    [{ a: null }, { a: 1 }, { a: null }],
    [{ a: '' }, { a: 1 }, { a: '' }],
    [{ a: [9] }, { a: [1, 2] }, { a: [9, 2] }],
    [{ a: [{ x: 1 }, 5] }, { a: [{ y: 2 }] }, { a: [{ x: 1, y: 2 }, 5] }],
    [{ a: [1] }, { a: { b: 2 } }, { a: [1] }],
    [{ a: { c: 3 } }, { a: { b: 2 } }, { a: { b: 2, c: 3 } }],
    [{ a: { b: '{{none}}', c: 3 } }, { a: { b: 2, d: 4 } }, { a: { b: 2, c: 3, d: 4 } }],
    [{ a: 5 }, { a: { b: 2 } }, { a: 5 }],
    [{ a: { b: '{{none}}' } }, { a: 5 }, { a: {} }],
    [{ a: { b: 1 } }, { a: 'text' }, { a: { b: 1 } }],
    [{ a: { b: 1 } }, { a: null }, { a: { b: 1 } }],
    ['{{x}}', { a: 1, b: 2 }, { a: 9, b: 2 }],
    [{ a: 1 }, 'no collection', { a: 1 }],
    [{ a: 1 }, undefined, { a: 1 }],
  ])('%j over %j is %j', (temp, before, expected) => {
    expect(extend(temp, { temp: before, x: { a: 9 } })).toEqual(expected);
  });

  it.each(['text', ['a'], 5])('is a collection, not %j', (temp) => {
    expect(() => extend(temp, {})).toThrow(
      expect.objectContaining({
        type: 'RuntimeError',
        message: expect.stringMatching(/^temp has to be a collection, not /),
      }),
    );
  });

  it('teaches what stands under a secret name', () => {
    const context = contextOf({});
    extendTemp(
      compileDirective({ token: 'hush-hush-1', a: 'open-open-1' }, '/response/temp', directives),
      context,
    );
    expect(context.run.log.redactor.text('hush-hush-1 open-open-1')).toBe('[SANITIZED] open-open-1');
  });
});

describe('a response', () => {
  const receive = (spec: unknown, answer: Parameters<typeof respond>[0]) =>
    decodeResponse(compileResponse(spec, directives), respond(answer), contextOf({}));

  it('gives its status, its headers whatever their case, and its body', () => {
    const { scope } = receive({}, { json: { a: 1 }, headers: { 'X-Id': '7' } });
    expect(scope).toMatchObject({ statusCode: 200, body: { a: 1 } });
    expect((scope['headers'] as Record<string, unknown>)['x-id']).toBe('7');
  });

  it('is read by the type that status and headers give', () => {
    const type = "{{if(headers.`x-type`; headers.`x-type`; 'json')}}";
    const { scope } = receive({ type }, { text: '{"a":1}', headers: { 'x-type': 'text' } });
    expect(scope['body']).toBe('{"a":1}');
    expect(receive({ type }, { text: '{"a":1}' }).scope['body']).toEqual({ a: 1 });
  });

  it('teaches what it holds under a secret name', () => {
    const { redactor } = receive({}, { json: { token: 'hush-hush-1', a: 'open-open-1' } }).run.log;
    expect(redactor.text('hush-hush-1 open-open-1')).toBe('[SANITIZED] open-open-1');
  });

  it('that cannot be read is an error of its status', () => {
    expect(() => receive({ type: 'json' }, { text: '{', status: 202 })).toThrow(
      expect.objectContaining({ statusCode: 202 }),
    );
  });
});
