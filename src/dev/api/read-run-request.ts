import { EngineError } from '../../errors/engine-error.js';
import { isPlainObject, type PlainObject } from '../../util/plain-object.js';
import { MOMENTS } from '../expressions/moments.js';
import type { FormRequest, MomentName, RunRequest, StepRequest } from '../protocol.js';

const MEMBERS: ReadonlySet<string> = new Set([
  'kind',
  'name',
  'parameters',
  'connection',
  'limit',
  'defaults',
  'start',
  'state',
  'payload',
  'replayOf',
  'again',
  'fromPage',
]);

/** @throws EngineError (USAGE) with the invalid member and the expected type */
export function readFormRequest(body: PlainObject): FormRequest {
  const { kind, name, parameters = {} } = body;
  const known = FORM_KINDS.find((one) => one === kind);
  if (known === undefined) throw wrong('kind', `one of ${FORM_KINDS.join(', ')}`, kind);
  if (typeof name !== 'string' || name === '') throw wrong('name', 'the name of a component', name);
  if (!isPlainObject(parameters)) throw wrong('parameters', 'an object', parameters);
  const connection = readTextMember(body, 'connection');
  return { kind: known, name, parameters, connection, defaults: body['defaults'] === true };
}

const FORM_KINDS = ['module', 'rpc', 'webhook', 'connection'] as const;

/** @throws EngineError (USAGE) with the invalid member and the expected type */
export function readRunRequest(body: unknown): RunRequest {
  if (!isPlainObject(body)) throw wrong('', 'an object', body);
  const unknown = Object.keys(body).find((name) => !MEMBERS.has(name));
  if (unknown !== undefined) throw new EngineError('USAGE', `"${unknown}" is no member of a run.`);
  const { kind, name, parameters = {}, start, payload } = body;
  if (kind !== 'module' && kind !== 'rpc') throw wrong('kind', 'module or rpc', kind);
  if (typeof name !== 'string' || name === '') throw wrong('name', 'the name of a component', name);
  if (!isPlainObject(parameters)) throw wrong('parameters', 'an object', parameters);
  if (start !== undefined && start !== 'all' && start !== 'saved')
    throw wrong('start', 'all or saved', start);
  return {
    kind,
    name,
    parameters,
    start,
    payload,
    state: body['state'],
    // By name only: credentials never come from the page.
    connection: readTextMember(body, 'connection'),
    replayOf: readTextMember(body, 'replayOf'),
    again: readTextMember(body, 'again'),
    limit: readCountMember(body, 'limit'),
    fromPage: readCountMember(body, 'fromPage'),
    defaults: body['defaults'] === true,
  };
}

const STEPS = ['epoch', 'attach', 'detach', 'connect', 'test'] as const;

/** @throws EngineError (USAGE) with the invalid member and the expected type */
export function readStepRequest(body: PlainObject): StepRequest {
  const { parameters = {} } = body;
  const step = STEPS.find((name) => name === body['step']);
  if (step === undefined) throw wrong('step', `one of ${STEPS.join(', ')}`, body['step']);
  const name = readTextMember(body, 'name');
  if (name === undefined) throw wrong('name', 'the name of a component', body['name']);
  if (!isPlainObject(parameters)) throw wrong('parameters', 'an object', parameters);
  const [connection, as] = [readTextMember(body, 'connection'), readTextMember(body, 'as')];
  return { step, name, parameters, connection, as };
}

/** @throws EngineError (USAGE) */
export function readTextMember(body: PlainObject, name: string): string | undefined {
  const value = body[name];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string' || value.length > 10_000) throw wrong(name, 'a text', value);
  return value;
}

/** @throws EngineError (USAGE) */
export function readMoment(body: PlainObject): MomentName | undefined {
  const value = body['moment'];
  if (value === undefined || value === null) return undefined;
  const known = MOMENTS.find((name) => name === value);
  if (known === undefined) throw wrong('moment', `one of ${MOMENTS.join(', ')}`, value);
  return known;
}

/** @throws EngineError (USAGE) */
function readCountMember(body: PlainObject, name: string): number | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1) {
    throw wrong(name, 'a whole number of at least 1', value);
  }
  return value;
}

function wrong(name: string, expected: string, given: unknown): EngineError {
  const got = given === undefined ? 'nothing' : Array.isArray(given) ? 'an array' : `a ${typeof given}`;
  return new EngineError(
    'USAGE',
    `${name === '' ? 'The body' : `"${name}"`}: expected ${expected}, got ${got}.`,
  );
}
