import type { EngineOptions } from '../../app/engine/engine-options.js';
import type { App } from '../../document/app.js';
import type { CheckParameters } from '../../parameters/check/form-check.js';
import { isPlainObject } from '../../util/plain-object.js';
import type { Fixture, FixtureInput } from '../fixtures/fixture.js';

/** Input of a recorded command. */
export interface GivenInput {
  readonly parameters?: unknown;
  readonly connection?: unknown;
  readonly data?: unknown;
  readonly webhook?: unknown;
  readonly payload?: unknown;
  readonly start?: unknown;
  readonly checkParameters?: CheckParameters | undefined;
}

/** The input in the format of a case, without absent members. */
export function toFixtureInput(
  given: GivenInput,
  { timezone }: Pick<EngineOptions, 'timezone'>,
  now: string,
): FixtureInput {
  const { checkParameters, parameters, connection, data, webhook, payload, start } = given;
  const members = { parameters, connection, data, webhook, payload, start };
  const present = Object.entries(members).filter(([, value]) => value !== undefined && !isEmpty(value));
  const input = {
    ...Object.fromEntries(present),
    ...writeCheck(checkParameters),
    now,
    ...(timezone !== undefined && { timezone }),
  };
  return input as FixtureInput;
}

function isEmpty(value: unknown): boolean {
  return isPlainObject(value) && Object.keys(value).length === 0;
}

/** The default (true) is omitted. */
function writeCheck(check: CheckParameters | undefined): Pick<FixtureInput, 'checkParameters'> {
  if (check === false) return { checkParameters: false };
  if (check === undefined || check === true) return {};
  const { defaults = false, resolve = 'none' } = check;
  if (!defaults && resolve === 'none') return {};
  return { checkParameters: { ...(defaults && { defaults }), ...(resolve !== 'none' && { resolve }) } };
}

/** The common data of a run, for `common` of a fixture. */
export function readCommon(app: App, given: unknown): Pick<Fixture, 'common'> {
  const common = given ?? app.common?.value;
  return common === undefined ? {} : { common };
}
