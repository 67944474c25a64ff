import type { CryptoKey, JWK } from 'jose';
import type { Clock } from '../../shared/clock.js';
import { checkOptions, type OptionShapes, objectWithFunctions } from '../../shared/errors/check-options.js';
import { StoreError } from '../../shared/errors/engine-error.js';
import type { PlainObject } from '../../shared/plain-object.js';
import { configError } from '../problems.js';
import type { RestStore } from '../store/tables.js';
import { type Seal, SIGNING_KEY_SETTING } from './seal.js';

/** Claims of an access token. */
export interface AccessClaims {
  readonly userId: number;
  readonly scopes: readonly string[];
}

/** The keys of the authorization server: signs access tokens, verifies them and publishes the public keys. */
export interface Oidc {
  /** The public keys, as a JWK set. */
  jwks(): Promise<{ readonly keys: readonly PlainObject[] }>;
  /** A signed access token. Default lifetime: one hour. */
  issue(claims: AccessClaims, options?: IssueOptions): Promise<string>;
  /** The claims of a valid token of this instance, else undefined. */
  verify(token: string): Promise<AccessClaims | undefined>;
}

/** Options of an access token besides its claims. */
export interface IssueOptions {
  /** Default 3600. */
  readonly lifetimeSeconds?: number | undefined;
  /** Address of the authorization server, as in its metadata. */
  readonly issuer?: string | undefined;
}

/** Store and clock of an authorization server. */
export interface OidcOptions {
  readonly store: RestStore;
  readonly seal: Seal;
  readonly clock: Clock;
}

const SHAPES: OptionShapes<OidcOptions> = {
  store: objectWithFunctions(['get', 'transaction']),
  seal: objectWithFunctions(['seal', 'open']),
  clock: objectWithFunctions(['now']),
};

interface SigningKey {
  readonly publicJwk: JWK;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
}

const ALGORITHM = 'ES256';
const TOKEN_TYPE = 'at+jwt';
/** Source: https://developers.make.com/api-documentation (OAuth flow, expires_in). [doc] */
const LIFETIME_SECONDS = 3600;

/** The signing key is created once, sealed in the store and shared by all nodes. `jose` is loaded at first use. */
export function createOidc(options: OidcOptions): Oidc {
  checkOptions(options, SHAPES, 'The options of createOidc', ['store', 'seal', 'clock']);
  const { clock } = options;
  let loading: Promise<SigningKey> | undefined;
  const signingKey = (): Promise<SigningKey> => {
    loading ??= loadSigningKey(options);
    loading.catch(() => {
      loading = undefined;
    });
    return loading;
  };

  return {
    jwks: async () => ({ keys: [{ ...(await signingKey()).publicJwk }] }),
    issue: async ({ userId, scopes }, { lifetimeSeconds = LIFETIME_SECONDS, issuer } = {}) => {
      const [{ SignJWT }, key] = await Promise.all([import('jose'), signingKey()]);
      const issuedAt = Math.floor(clock.now() / 1000);
      return new SignJWT({ scope: scopes.join(' '), ...(issuer !== undefined && { iss: issuer }) })
        .setProtectedHeader({ alg: ALGORITHM, typ: TOKEN_TYPE, kid: key.publicJwk.kid ?? '' })
        .setSubject(String(userId))
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + lifetimeSeconds)
        .sign(key.privateKey);
    },
    verify: async (token) => {
      const [{ jwtVerify }, key] = await Promise.all([import('jose'), signingKey()]);
      try {
        // Only this instance has the key, so it identifies the issuer whatever address callers use.
        const { payload } = await jwtVerify(token, key.publicKey, {
          algorithms: [ALGORITHM],
          typ: TOKEN_TYPE,
          requiredClaims: ['sub', 'exp'],
          currentDate: new Date(clock.now()),
        });
        const scope = payload['scope'];
        const scopes = typeof scope === 'string' ? scope.split(' ').filter((it) => it !== '') : [];
        return { userId: Number(payload.sub), scopes };
      } catch {
        return undefined;
      }
    },
  };
}

async function loadSigningKey({ store, seal }: OidcOptions): Promise<SigningKey> {
  const { importJWK } = await import('jose');
  const stored =
    (await store.get('settings', { name: SIGNING_KEY_SETTING })) ?? (await createSigningKey(store, seal));
  const privateJwk: JWK = JSON.parse(seal.open(stored.value, SIGNING_KEY_SETTING));
  const { d: _, ...publicJwk } = privateJwk;
  const [privateKey, publicKey] = await Promise.all([
    importJWK(privateJwk, ALGORITHM),
    importJWK(publicJwk, ALGORITHM),
  ]);
  if (privateKey instanceof Uint8Array || publicKey instanceof Uint8Array) {
    throw configError('The signing key is not a key pair.');
  }
  return { publicJwk, privateKey, publicKey };
}

/** Of nodes that start together, one stores its key and the others use that one. */
async function createSigningKey(store: RestStore, seal: Seal): Promise<{ readonly value: string }> {
  const { calculateJwkThumbprint, exportJWK, generateKeyPair } = await import('jose');
  const jwk = await exportJWK((await generateKeyPair(ALGORITHM, { extractable: true })).privateKey);
  const kid = await calculateJwkThumbprint(jwk);
  const value = seal.seal(JSON.stringify({ ...jwk, kid, use: 'sig', alg: ALGORITHM }), SIGNING_KEY_SETTING);
  try {
    return await store.transaction((writer) =>
      writer.insert('settings', { name: SIGNING_KEY_SETTING, value }),
    );
  } catch (error) {
    const winner = await store.get('settings', { name: SIGNING_KEY_SETTING });
    if (error instanceof StoreError && winner) return winner;
    throw error;
  }
}
