import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { redactAppError, redactCauses } from '../../src/engine/redaction/redact.js';
import { AppError } from '../../src/index.js';

const redact = (text: string): string => text.replaceAll('hush', '*');

describe('a redacted error', () => {
  it.each([
    ['its message', 'not hush', undefined, 'not *', undefined],
    ['one of its suberrors', 'open', ['open', 'a hush'], 'open', ['open', 'a *']],
    ['all of them', 'hush', ['hush', 'hush hush'], '*', ['*', '* *']],
  ])('is a new error if a secret occurs in %s', (_, message, suberrors, cleanMessage, cleanSuberrors) => {
    const place = { file: 'a.json', pointer: '/url' };
    const details = { statusCode: 429, requestIndex: 1, page: 2, delay: 3, retryAfterMs: 4 };
    const cause = new Error('open');
    const error = new AppError('RateLimitError', message, { ...details, place, cause, suberrors });
    const clean = redactAppError(error, redact);
    expect(clean).not.toBe(error);
    expect(clean).toMatchObject({ ...details, place, type: 'RateLimitError', message: cleanMessage });
    expect(clean.suberrors).toEqual(cleanSuberrors);
    expect(clean.cause).toBe(cause);
    expect(inspect(clean)).not.toContain('hush');
  });

  it.each([[undefined], [[]], [['one', 'two']]])(
    'is the same error without secrets, with suberrors %j',
    (suberrors) => {
      const error = new AppError('DataError', 'open', { suberrors });
      expect(redactAppError(error, redact)).toBe(error);
    },
  );

  it.each(['open', 'hush'])('hides texts quoted by its causes, with the message %s', (message) => {
    const first = Object.assign(new TypeError('first hush'), { guestStack: 'at hush:1', code: 'hush' });
    const cause = new Error('second hush', { cause: first });
    const clean = redactAppError(new AppError('RuntimeError', message, { cause }), redact);
    expect(clean.cause).toBe(cause);
    expect(cause.message).toBe('second *');
    expect(first).toMatchObject({ message: 'first *', guestStack: 'at *:1' });
    expect(`${cause.stack} ${first.stack}`).not.toContain('hush');
  });
});

it('handles causes that are circular or are not errors', () => {
  const error = new Error('hush');
  error.cause = error;
  redactCauses(error, redact);
  expect(error.message).toBe('*');
  redactCauses(new Error('open', { cause: { message: 'hush' } }), redact);
  expect(() => redactCauses('hush', redact)).not.toThrow();
});

describe('the cause of an error', () => {
  it('shows no secret behind the errors of an AggregateError, nor behind a member that cannot be read', () => {
    const deep = new Error('deep hush');
    const unreadable = Object.defineProperty(new Error('a hush', { cause: deep }), 'shown', {
      get: () => {
        throw new Error('hush');
      },
    });
    redactCauses(new AggregateError([new Error('one hush', { cause: unreadable })], 'several'), redact);
    expect([unreadable.message, deep.message]).toEqual(['a *', 'deep *']);
  });

  it('may be a text, alone and among others', () => {
    const cause = new AggregateError(['two hush', new Error('open', { cause: 'one hush' })], 'several');
    redactCauses(cause, redact);
    expect(cause.errors).toMatchObject(['two *', { message: 'open', cause: 'one *' }]);
  });

  it('is redacted in an AggregateError whose cause cannot be read', () => {
    const several = Object.defineProperty(new AggregateError([new Error('a hush')]), 'cause', {
      get: () => {
        throw new Error('no');
      },
    });
    redactCauses(several, redact);
    expect(several.errors).toMatchObject([{ message: 'a *' }]);
  });

  it('may be unreadable: the others are redacted', () => {
    const opaque = new Proxy(new Error('open'), {
      ownKeys: () => {
        throw new Error('no');
      },
    });
    const cause = new Error('a hush', { cause: opaque });
    expect(() => redactCauses(cause, redact)).not.toThrow();
    expect(cause.message).toBe('a *');
  });

  it('shows no secret in a member that the host has added, nor in its errors', () => {
    const address = Object.assign(new TypeError('Invalid URL'), { input: 'https://hush/', base: 'hush' });
    const several = new AggregateError([new Error('a hush'), 'hush'], 'several hush');
    several.cause = address;
    redactCauses(several, redact);
    expect(address).toMatchObject({ input: 'https://*/', base: '*' });
    expect(several.message).toBe('several *');
    expect(inspect(several.errors[0])).not.toContain('hush');
    expect(inspect(address)).not.toContain('hush');
  });

  describe('of many errors', () => {
    const some = (count: number, makeCause: (at: number) => unknown = () => undefined): Error[] =>
      Array.from({ length: count }, (_, at) => new Error(`hush ${at}`, { cause: makeCause(at) }));

    it('shows no secret of a hundred errors', () => {
      const several = new AggregateError(some(100), 'several', { cause: undefined });
      redactCauses(several, redact);
      expect(several.errors.map(({ message }) => message)).toEqual(some(100).map((_, at) => `* ${at}`));
    });

    it.each<[string, () => Error]>([
      ['errors', () => new AggregateError(some(101), 'hush')],
      [
        'causes of errors',
        () =>
          new AggregateError(
            some(60, (at) => new Error(`hush ${at}`)),
            'hush',
          ),
      ],
      ['errors of errors', () => new AggregateError([new AggregateError(some(80)), ...some(30)])],
      ['nested causes', () => some(200).reduce((cause, error) => Object.assign(error, { cause }))],
      ['a frozen list', () => new AggregateError(Object.freeze(some(150)))],
    ])('keeps no unredacted error: %s', (_, make) => {
      const error = make();
      redactCauses(error, redact);
      const shown = inspect(error, { depth: 300, maxArrayLength: 300 });
      expect(shown).not.toContain('hush');
      expect(shown).toContain('*');
    });
  });
});
