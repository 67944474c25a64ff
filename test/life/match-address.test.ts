import { performance } from 'node:perf_hooks';
import { describe, expect, it } from 'vitest';
import { endsLike, restBelow } from '../../src/tools/life/match-address.js';

describe('endsLike', () => {
  it.each([
    ['/v1/users/5', '/users/{{parameters.id}}', true],
    ['/v1/users/5/', '/users/{{parameters.id}}', true],
    ['/v1/users/5/posts/6', '/users/{{a}}/posts/{{b}}', true],
    ['/v1/users/', '/users/{{parameters.id}}', false],
    ['/v1/Users/5', '/users/{{parameters.id}}', false],
    ['/users/5/posts', '/users/{{a}}', true],
    ['/a', '{{x}}{{y}}', true],
    ['/', '{{x}}{{y}}', false],
    ['/things', '/things', true],
    ['/other', '/things', false],
    ['/abab', '/{{x}}ab', true],
    ['/ab', '/{{x}}ab', false],
    ['/anything', '', true],
  ])('matches %s with %s: %j', (address, template, expected) => {
    expect(endsLike(address, template)).toBe(expected);
  });
});

describe('restBelow', () => {
  it.each([
    ['https://x.test/v1/users', 'https://x.test/v1', '/users'],
    ['https://x.test/v1', 'https://x.test/v1', '/'],
    ['https://X.test/v1/Users', 'https://x.test/V1', '/Users'],
    ['https://x.test/v10', 'https://x.test/v1', undefined],
    ['https://a.x.test/users', 'https://{{connection.zone}}.x.test', '/users'],
    ['https://a.x.test/x.test/users', 'https://{{connection.zone}}.x.test', '/x.test/users'],
    ['https://.x.test/users', 'https://{{connection.zone}}.x.test', undefined],
    ['https://x.test/t/1/users', 'https://x.test/{{a}}/{{b}}', '/users'],
    ['https://x.test/t', '{{connection.url}}', '/t'],
    ['https://x.test/v2/t', '{{connection.url}}/v2', '/t'],
    ['https://x.test', '{{connection.url}}', '/'],
  ])('%s below %s is %j', (address, template, expected) => {
    expect(restBelow(address, template)).toBe(expected);
  });

  it('needs no more than a moment for many expressions', () => {
    const template = `https://x.test/${'{{a}}b'.repeat(40)}!`;
    const start = performance.now();
    expect(restBelow(`https://x.test/${'b'.repeat(4000)}`, template)).toBeUndefined();
    expect(endsLike(`/${'b'.repeat(4000)}`, template)).toBe(false);
    expect(performance.now() - start).toBeLessThan(2000);
  });
});
