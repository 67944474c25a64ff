import { createSecureContext } from 'node:tls';
import { bootstrap, makeToken, registerApps } from '../../../rest/bootstrap.js';
import { type ApiScope, SCOPE_NAMES } from '../../../rest/call/access.js';
import { answerFailure } from '../../../rest/call/answer.js';
import { createRest, type Rest } from '../../../rest/create-rest.js';
import type { StoreBackend, StoreBackendOptions } from '../../../rest/create-store-backend.js';
import { listOffers } from '../../../rest/resources/billing.js';
import { createStatusPages, serveRest } from '../../../rest/serve-rest.js';
import { SYSTEM_CLOCK } from '../../../shared/clock.js';
import { StoreError } from '../../../shared/errors/engine-error.js';
import { didYouMean } from '../../../shared/suggest.js';
import { type Arguments, type Command, EXIT, usageError } from '../command.js';
import { readText } from '../input/input-data.js';
import { readAction, readOneOf } from '../input/option-values.js';
import {
  findRestInstance,
  openRestInstance,
  REST_INSTANCE_OPTIONS,
  type RestPlace,
  readRestConfig,
  toRestOptions,
} from '../input/rest-options.js';
import type { Io } from '../io.js';
import { cannotListen, readPort, untilInterrupted } from '../listening.js';
import { createRestLog, type RestLog } from '../output/rest-log.js';
import { printableLine } from '../output/terminal-text.js';

const DEFAULT_PORT = 8077;
const ADMINISTRATOR = { name: 'Administrator', email: 'admin@localhost' };

const ACTIONS = ['token', 'prices'] as const;

export const REST_COMMAND: Command = {
  name: 'rest',
  about: 'Serves the REST API v2, creates an API token, or lists prices.',
  positionals: [
    {
      name: 'action',
      help: 'token creates an API token; prices lists prices and coupons. Default: serve the API.',
      isOptional: true,
    },
  ],
  options: {
    port: { value: 'N', help: `Default: ${DEFAULT_PORT}; 0 chooses a free one.` },
    host: { value: 'ADDRESS', help: 'Address to listen on. Default: 127.0.0.1.' },
    'public-url': {
      value: 'URL',
      help: 'Public address of the API, such as https://api.example.com. Default: the requested host.',
    },
    'allow-host': {
      value: 'HOST',
      multiple: true,
      help: 'Accepted Host header beside this machine. Repeatable.',
    },
    log: {
      value: 'text|json',
      help: 'Logs requests on standard error. Failures are always logged.',
    },
    cert: { value: 'FILE', help: 'Certificate (PEM) for HTTPS, together with --key.' },
    key: { value: 'FILE', help: 'Private key of the certificate (PEM).' },
    user: { value: 'EMAIL', help: 'token: its user. Default: the administrator.' },
    label: { value: 'TEXT', help: 'token: its label. Default: made by iml rest token.' },
    scope: { value: 'SCOPE', multiple: true, help: 'token: a scope. Repeatable. Default: all.' },
    ...REST_INSTANCE_OPTIONS,
  },
  examples: [
    'iml rest --create',
    'iml rest --create --settings rest.json',
    'iml rest prices --settings rest.json',
    'iml rest token --data ./rest-data --label ci --scope organizations:read',
    'iml rest --create --database postgres://localhost/iml --host 0.0.0.0 --public-url https://api.example.com --cert cert.pem --key key.pem',
  ],
  notes: [
    'The first start of an instance prints the token of its administrator once.',
    'Back up the key of the instance (file encryption-key, or IML_REST_KEY) with its data.',
  ],
  run: (args, io) => {
    const [given] = args.positionals;
    if (given === undefined) return serve(args, io);
    return readAction(given, ACTIONS) === 'prices' ? printPrices(args, io) : printToken(args, io);
  },
};

async function serve(args: Arguments, io: Io): Promise<number> {
  const port = readPort(args.text('port'), DEFAULT_PORT);
  const host = args.text('host');
  const config = await readRestConfig(args.text('settings'), io);
  const log = createRestLog((line) => void io.stderr.write(`${line}\n`).catch(() => {}), {
    format: readOneOf(args, 'log', ['text', 'json']),
    now: () => SYSTEM_CLOCK.now(),
  });
  const origin = readOrigin(args.text('public-url'));
  const tls = await readTls(args, io);
  const place = await findRestInstance(args, io);
  let backend: StoreBackend | undefined;
  let rest: Rest | undefined;
  const pages = createStatusPages(() => backend?.services.store);
  const fetch: Rest['fetch'] = async (request, reception) =>
    pages.answer(request) ?? rest?.fetch(request, reception) ?? refuseUntilOpen();
  // The port comes first: where it cannot be had, no instance is made.
  const server = await serveRest({ fetch }, { port, host, tls }).catch((error: unknown) =>
    Promise.reject(cannotListen(port, error, host)),
  );
  const stop = new AbortController();
  const interrupted = untilInterrupted(io).then(() => stop.abort());
  try {
    backend = await openRestInstance(place, {
      args,
      io,
      options: withInvitationLog(toRestOptions(config), log),
      wait: {
        waitMs: Number.MAX_SAFE_INTEGER,
        onWait: () => log.message('Waiting for the database, which does not respond.'),
        signal: stop.signal,
      },
    });
    const first = await firstToken(backend, place);
    await registerApps(backend.services, config.apps ?? []);
    rest = await createRest({
      backend,
      origin,
      hosts: args.texts('allow-host'),
      onError: log.failure,
      onAnswer: (call) => {
        pages.count(call);
        log.answer(call);
      },
    });
    await io.stdout.write(`REST API: ${origin ?? server.origin}/api/v2\n${first}`);
    await interrupted;
    return EXIT.ok;
  } catch (error) {
    if (stop.signal.aborted) return EXIT.ok;
    throw error;
  } finally {
    await server.close();
    await backend?.close();
    log.close();
  }
}

/** The instance is not open yet: its database does not answer. */
function refuseUntilOpen(): Response {
  return answerFailure(new StoreError('STORE_UNAVAILABLE', 'The database is unavailable.'));
}

/** Without mail the operator passes invitations on. */
function withInvitationLog(
  options: Partial<StoreBackendOptions>,
  log: RestLog,
): Partial<StoreBackendOptions> {
  return {
    ...options,
    notifications: {
      notify: async (notification) => {
        if (notification.kind === 'invitation created') log.invitation(notification);
        await options.notifications?.notify(notification).catch((error: unknown) => {
          log.message(error instanceof Error ? error.message : String(error));
        });
      },
    },
  };
}

function readOrigin(origin: string | undefined): string | undefined {
  if (origin === undefined) return undefined;
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (url && isWeb && url.href === `${url.origin}/`) return url.origin;
  throw usageError(
    `--public-url: "${origin}" is not an origin. Expected an address without a path, such as https://api.example.com.`,
  );
}

async function firstToken({ services }: StoreBackend, place: RestPlace): Promise<string> {
  const token = await bootstrap(services, ADMINISTRATOR);
  const further = `iml rest token ${place.args}`;
  if (token === undefined) return `API tokens: ${further}\n`;
  return `Administrator token, shown this once: ${token}\nFurther tokens: ${further}\n`;
}

/** Prints the prices and coupons of the instance. */
async function printPrices(args: Arguments, io: Io): Promise<number> {
  const { prices, coupons } = listOffers(await readRestConfig(args.text('settings'), io));
  const rows = prices.map(({ id, productName, amount, currencyCode, period, selfService }) =>
    [id, `${amount} ${currencyCode}`, period, selfService ? 'self-service' : 'managed', productName].join(
      '  ',
    ),
  );
  const offers = coupons.map(({ code, factor }) =>
    [code, `${Math.round((1 - factor) * 100)} % off`].join('  '),
  );
  await io.stdout.write([...rows, ...offers, ''].map(printableLine).join('\n'));
  return EXIT.ok;
}

async function printToken(args: Arguments, io: Io): Promise<number> {
  const scopes = args.isSet('scope') ? args.texts('scope').map(readScope) : SCOPE_NAMES;
  const email = args.text('user');
  const options = toRestOptions(await readRestConfig(args.text('settings'), io));
  const backend = await openRestInstance(await findRestInstance(args, io), { args, io, options });
  try {
    const first = await bootstrap(backend.services, ADMINISTRATOR);
    const wish = { email, label: args.text('label') ?? 'made by iml rest token', scopes };
    const wantsFirst = first !== undefined && email === undefined && !args.isSet('scope');
    const token = wantsFirst ? first : await makeToken(backend.services, wish);
    if (token === undefined) throw usageError(`--user: there is no user "${email}".`);
    await io.stdout.write(`${token}\n`);
    return EXIT.ok;
  } finally {
    await backend.close();
  }
}

async function readTls(args: Arguments, io: Io): Promise<{ cert: string; key: string } | undefined> {
  const [cert, key] = [args.text('cert'), args.text('key')];
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) throw usageError('--cert and --key require each other.');
  const tls = { cert: await readText(cert, '--cert', io), key: await readText(key, '--key', io) };
  try {
    createSecureContext(tls);
  } catch (error) {
    throw usageError(
      `--cert and --key: "${cert}" and "${key}" are not a certificate and its key in PEM.`,
      error,
    );
  }
  return tls;
}

function readScope(name: string): ApiScope {
  const scope = SCOPE_NAMES.find((it) => it === name);
  if (scope) return scope;
  throw usageError(`--scope: there is no scope "${name}".${didYouMean(name, SCOPE_NAMES)}`);
}
