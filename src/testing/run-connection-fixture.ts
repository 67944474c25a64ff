import type { AuthorizeInput, Connection } from '../component/connection.js';
import type { ConnectionReport } from '../connection/connection-run.js';
import { AppError } from '../errors/app-error.js';
import { toText } from '../iml/values/coerce.js';
import type { FixtureInput, Outcome } from './fixtures/fixture.js';

type ConnectionOutcome = Partial<Outcome>;

/** Makes a basic connection, or an OAuth one that has no page. */
export async function runConnectionFixture(
  connection: Connection,
  input: FixtureInput,
): Promise<ConnectionOutcome> {
  return outcomeOf(() => connection.create({ parameters: input.parameters, scopes: input.scopes }));
}

/** The whole authorization: what comes before the page, the page, the callback and what follows it. */
export async function runOAuthFixture(
  connection: Connection,
  input: FixtureInput,
): Promise<ConnectionOutcome> {
  let url: string | undefined;
  const outcome = await outcomeOf(async () => {
    const authorization = await connection.authorize(authorizeInput(input));
    url = authorization.url;
    // Through JSON, as between two processes.
    const pending: typeof authorization.pending = JSON.parse(JSON.stringify(authorization.pending));
    const report = await connection.complete(pending, { state: pending.state, ...input.query });
    return { ...report, requests: report.requests + authorization.requests };
  });
  return { ...outcome, authorizeUrl: url };
}

function authorizeInput({ parameters, oauth = {}, scopes }: FixtureInput): AuthorizeInput {
  const text = (name: string): string | undefined => toText(oauth[name]) || undefined;
  return {
    parameters,
    scopes: scopes ?? [oauth['scope'] ?? []].flat().map(toText),
    redirectUri: text('redirectUri') ?? text('localRedirectUri') ?? text('makeRedirectUri') ?? '',
    localRedirectUri: text('localRedirectUri'),
    makeRedirectUri: text('makeRedirectUri'),
    codeVerifier: text('codeVerifier'),
  };
}

/** What happens to a connection before it is used. */
export async function runRefreshFixture(
  connection: Connection,
  { data = {}, parameters, expires }: FixtureInput,
): Promise<ConnectionOutcome> {
  return outcomeOf(() =>
    connection.refresh({ connection: data, ...(parameters && { parameters }), expires }),
  );
}

/** What the service is told when a connection is deleted. */
export async function runInvalidateFixture(
  connection: Connection,
  { data = {}, parameters }: FixtureInput,
): Promise<ConnectionOutcome> {
  return outcomeOf(() => connection.invalidate({ connection: data, ...(parameters && { parameters }) }));
}

async function outcomeOf(
  step: () => Promise<Omit<ConnectionReport, 'trace' | 'warnings'>>,
): Promise<ConnectionOutcome> {
  try {
    const { stored, requests } = await step();
    const { connection, metadata, uid, expires } = stored;
    return { connection, metadata, uid, expires, requestCount: requests };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { error: { type: error.type, message: error.message } };
  }
}
