import type { Engine } from '../app/create-engine.js';
import type { AppError } from '../errors/app-error.js';
import type { FixtureInput, Outcome } from './fixture.js';

type PartialOutcome = Omit<Outcome, 'log' | 'waits'>;
type ComponentRunner = (engine: Engine, name: string, input: FixtureInput) => Promise<PartialOutcome>;

/** Runs any module that gives bundles: actions, searches, triggers of both kinds. */
export const runModuleFixture: ComponentRunner = async (engine, name, input) => {
  const { parameters, connection, data, webhook, payload, start } = input;
  const report = await engine
    .module(name)
    .run({ parameters, connection, data, webhook, payload, ...(start !== undefined && { start }) });
  return {
    bundles: report.bundles,
    error: errorOf(report.error),
    requestCount: report.stats.requests,
    state: report.state,
  };
};

/** Calls an RPC. `input.query` stands for the arguments of its address, templates to be evaluated. */
export const runRpcFixture: ComponentRunner = async (engine, name, input) => {
  const { parameters, connection, data, webhook, query = {} } = input;
  const pairs = Object.entries(query).map(([key, template]) => `${key}=${template}`);
  const address = pairs.length === 0 ? name : `rpc://${name}?${pairs.join('&')}`;
  const { result, error, stats } = await engine.rpc(address).call({ parameters, connection, data, webhook });
  return { result, error: errorOf(error), requestCount: stats.requests };
};

/** Lists an epoch panel. */
export const runEpochFixture: ComponentRunner = async (engine, name, input) => {
  const { parameters, connection, data } = input;
  const { result, entries, error, stats } = await engine.module(name).epoch({ parameters, connection, data });
  return {
    result,
    starts: entries.map(({ start }) => start),
    error: errorOf(error),
    requestCount: stats.requests,
  };
};

/** Builds the answer of a responder. */
export const runResponderFixture: ComponentRunner = async (engine, name, input) => {
  const { parameters, connection, data, webhook, payload } = input;
  const { result, error } = await engine
    .module(name)
    .respond({ parameters, connection, data, webhook, payload });
  const respond = result && {
    status: result.status,
    headers: new Headers(result.headers.map(([header, value]): [string, string] => [header, value])),
    body: Buffer.from(result.body).toString('utf8'),
  };
  return { respond, error: errorOf(error) };
};

function errorOf(error: AppError | undefined): Outcome['error'] {
  return error && { type: error.type, message: error.message };
}
