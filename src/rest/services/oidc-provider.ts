import type { CryptoKey, JWK } from 'jose';
import { StoreError } from '../../errors/store-error.js';
import type { Clock } from '../../util/clock.js';
import type { PlainObject } from '../../util/plain-object.js';
import { configError } from '../problems.js';
import type { Seal } from '../seal.js';
import type { RestStore } from '../store/tables.js';

/** What an access token says. */
export interface AccessClaims {
  readonly userId: number;
  readonly scopes: readonly string[];
}

/** The keys of the authorization server: it signs access tokens, shows its public keys and recognizes what it signed. */
export interface Oidc {
  /** The address of the authorization server. */
  readonly issuer: string;
  jwks(): Promise<{ readonly keys: readonly PlainObject[] }>;
  issue(claims: AccessClaims, lifetimeSeconds?: number): Promise<string>;
  /** The claims of a token that is ours and still good, else undefined. */
  verify(token: string): Promise<AccessClaims | undefined>;
}

export interface OidcOptions {
  readonly store: RestStore;
  readonly seal: Seal;
  readonly clock: Clock;
  readonly issuer: string;
}

interface SigningKey {
  readonly publicJwk: JWK;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
}

const ALGORITHM = 'ES256';
const SETTING = 'oidc-signing-key';
const TOKEN_TYPE = 'at+jwt';
/** Source: reference/rest-api.md section 4 (expires_in). [doc] */
const LIFETIME_SECONDS = 3600;

/** The signing key is made once, sealed into the store and shared by all nodes. `jose` is loaded when it is first needed. */
export function createOidc(options: OidcOptions): Oidc {
  const { clock, issuer } = options;
  let loading: Promise<SigningKey> | undefined;
  const signingKey = (): Promise<SigningKey> => {
    loading ??= loadSigningKey(options);
    loading.catch(() => {
      loading = undefined;
    });
    return loading;
  };

  return {
    issuer,
    jwks: async () => ({ keys: [{ ...(await signingKey()).publicJwk }] }),
    issue: async ({ userId, scopes }, lifetimeSeconds = LIFETIME_SECONDS) => {
      const [{ SignJWT }, key] = await Promise.all([loadJose(), signingKey()]);
      const issuedAt = Math.floor(clock.now() / 1000);
      return new SignJWT({ scope: scopes.join(' ') })
        .setProtectedHeader({ alg: ALGORITHM, typ: TOKEN_TYPE, kid: key.publicJwk.kid ?? '' })
        .setSubject(String(userId))
        .setIssuer(issuer)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + lifetimeSeconds)
        .sign(key.privateKey);
    },
    verify: async (token) => {
      const [{ jwtVerify }, key] = await Promise.all([loadJose(), signingKey()]);
      try {
        const { payload } = await jwtVerify(token, key.publicKey, {
          issuer,
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

async function loadJose(): Promise<typeof import('jose')> {
  try {
    return await import('jose');
  } catch (cause) {
    throw configError('OpenID Connect needs the package "jose" to be installed.', cause);
  }
}

async function loadSigningKey({ store, seal }: OidcOptions): Promise<SigningKey> {
  const { importJWK } = await loadJose();
  const stored = (await store.get('settings', { name: SETTING })) ?? (await createSigningKey(store, seal));
  const privateJwk: JWK = JSON.parse(seal.open(stored.value, SETTING));
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

/** Of nodes that start together one stores its key; the others take that one. */
async function createSigningKey(store: RestStore, seal: Seal): Promise<{ readonly value: string }> {
  const { calculateJwkThumbprint, exportJWK, generateKeyPair } = await loadJose();
  const jwk = await exportJWK((await generateKeyPair(ALGORITHM, { extractable: true })).privateKey);
  const kid = await calculateJwkThumbprint(jwk);
  const value = seal.seal(JSON.stringify({ ...jwk, kid, use: 'sig', alg: ALGORITHM }), SETTING);
  try {
    return await store.transaction((writer) => writer.insert('settings', { name: SETTING, value }));
  } catch (error) {
    const winner = await store.get('settings', { name: SETTING });
    if (error instanceof StoreError && winner) return winner;
    throw error;
  }
}
