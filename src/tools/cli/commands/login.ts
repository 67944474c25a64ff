import { checkToken, readZone } from '../../life/remote/make-api.js';
import { type Arguments, type Command, EXIT, usageError } from '../command.js';
import { configFolder } from '../connections/private-file.js';
import { openTokenFiles } from '../connections/token-store.js';
import { assertToken, refusalOf } from '../input/make-origin.js';
import type { Io } from '../io.js';
import { printableLine } from '../output/terminal-text.js';

const ADDRESS = {
  name: 'address',
  help: 'Address of the API, for example https://eu1.make.com/api.',
} as const;

export const LOGIN_COMMAND: Command = {
  name: 'login',
  about: 'Stores an API token for iml pull, push, status and diff, encrypted.',
  positionals: [ADDRESS],
  options: {},
  examples: ['iml login https://eu1.make.com/api', 'iml login https://eu1.make.com/api < token.txt'],
  notes: [
    'Asks for the token, or reads it from standard input, and tests it. Each host has one token, which is sent to this host only. Environment variables and apikeyFile of an origin take precedence.',
  ],
  run: login,
};

export const LOGOUT_COMMAND: Command = {
  name: 'logout',
  about: 'Removes the API token that iml login stored.',
  positionals: [ADDRESS],
  options: {},
  examples: ['iml logout https://eu1.make.com/api'],
  notes: ['The token stays valid. Revoke it in Make.'],
  run: async (args, io) => {
    const { zone } = readAddress(args);
    const isRemoved = await openTokenFiles(configFolder(io.env)).remove(zone);
    if (!isRemoved) throw usageError(`No token is stored for ${zone}.`);
    await io.stdout.write(`The token for ${printableLine(zone)} is removed.\n`);
    return EXIT.ok;
  },
};

async function login(args: Arguments, io: Io): Promise<number> {
  const { zone, baseUrl } = readAddress(args);
  const given =
    io.ask === undefined
      ? Buffer.from(await io.readStdin()).toString('utf8')
      : await io.ask(`API token for ${printableLine(zone)}: `, true);
  const token = given?.trim() ?? '';
  if (token === '') throw usageError('There is no token. Enter one, or pass it on standard input.');
  assertToken(token);
  const name = await checkToken(baseUrl, token).catch((error: unknown) => {
    throw refusalOf(error, { baseUrl });
  });
  await openTokenFiles(configFolder(io.env)).write(zone, token);
  const user = name === undefined ? '' : ` of ${printableLine(name)}`;
  await io.stdout.write(`The token${user} for ${printableLine(zone)} is stored.\n`);
  return EXIT.ok;
}

function readAddress(args: Arguments): { readonly zone: string; readonly baseUrl: string } {
  const [baseUrl = ''] = args.positionals;
  return { zone: readZone(baseUrl).zone, baseUrl };
}
