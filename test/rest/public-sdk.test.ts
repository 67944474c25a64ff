import { Make, MakeError } from '@makehq/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from './test-server.js';

let stage: TestServer;
let make: Make;

beforeAll(async () => {
  stage = await startTestServer();
  make = new Make(stage.token, stage.zone);
  make.protocol = 'http';
});
afterAll(() => stage.close());

describe('the public TypeScript client', () => {
  it('returns the current user', async () => {
    expect(await make.users.me()).toMatchObject({ id: 1, name: 'Ada', email: 'ada@example.com' });
    expect(await make.users.currentAuthorization()).toMatchObject({ authUsed: 'token' });
  });

  it('creates, lists, changes and deletes organizations', async () => {
    const created = await make.organizations.create({
      name: 'Works',
      regionId: 1,
      timezoneId: 113,
      countryId: 64,
    });
    expect(created).toMatchObject({ name: 'Works', zone: 'eu1.make.com' });
    expect(await make.organizations.get(created.id, { wait: true })).toMatchObject({ id: created.id });
    const updated = await make.organizations.update(created.id, { name: 'Works Two' });
    expect(updated).toMatchObject({ name: 'Works Two', countryId: 64 });
    const listed = await make.organizations.list({
      cols: ['id', 'name'],
      pg: { sortBy: 'id', sortDir: 'desc' },
    });
    expect(listed[0]).toEqual({ id: created.id, name: 'Works Two' });
    expect(await make.organizations.list({ cols: ['*'] })).toHaveLength(2);
    await make.organizations.delete(created.id);
    await expect(make.organizations.get(created.id)).rejects.toMatchObject({ statusCode: 404 });
  });

  it('creates, lists, changes and deletes keys', async () => {
    const types = await make.keys.types();
    expect(types.map((type) => type.name)).toEqual(['aes-key', 'apikeyauth', 'apn', 'basicauth']);
    const parameters = { authUser: 'ada', authPass: 'secret' };
    const key = await make.keys.create({ name: 'Door', teamId: 1, typeName: 'basicauth', parameters });
    expect(key).toMatchObject({ name: 'Door', teamId: 1, typeName: 'basicauth' });
    expect(await make.keys.update(key.id, { name: 'Gate' })).toMatchObject({ name: 'Gate' });
    expect(await make.keys.list(1)).toEqual([{ id: key.id, name: 'Gate' }]);
    expect(await make.keys.list(1, { typeName: 'aes-key' })).toEqual([]);
    expect(await make.keys.get(key.id, { cols: ['*'] })).toMatchObject({
      theme: '#007ee5',
      packageName: null,
    });
    await make.keys.delete(key.id);
    await expect(make.keys.get(key.id)).rejects.toMatchObject({ statusCode: 404 });
  });

  it('creates, shows and deletes teams', async () => {
    const team = await make.teams.create({ name: 'Second', organizationId: 1 });
    expect(await make.teams.get(team.id)).toEqual({ id: team.id, name: 'Second', organizationId: 1 });
    expect((await make.teams.list(1)).map((it) => it.name)).toEqual(['My Team', 'Second']);
    await make.teams.delete(team.id);
    expect(await make.teams.list(1)).toHaveLength(1);
  });

  it('reads enums and roles', async () => {
    expect(await make.enums.countries()).toContainEqual({
      id: 4,
      name: 'Afghanistan',
      code: 'AFG',
      code2: 'af',
    });
    expect(await make.enums.regions()).toContainEqual({ id: 1, name: 'EU' });
    const timezones = await make.enums.timezones();
    expect(timezones).toContainEqual(expect.objectContaining({ id: 113, code: 'Europe/Prague' }));
    const roles = await make.roles.list({ category: 'organization' });
    expect(roles.map((role) => role.identifier)).toContain('owner');
  });

  it('lists, shows and changes private spaces', async () => {
    const [space] = await make.privateSpaces.list(1);
    expect(space).toMatchObject({ organizationId: 1 });
    const id = space?.id ?? 0;
    expect(await make.privateSpaces.get(id)).toMatchObject({ type: 'personal', operationsLimit: null });
    expect(await make.privateSpaces.update(id, { operationsLimit: 5 })).toMatchObject({ operationsLimit: 5 });
    expect(await make.privateSpaces.update(id, { operationsLimit: null })).toMatchObject({
      operationsLimit: null,
    });
  });

  it('shows the errors of the API with their fields', async () => {
    const failure = make.organizations.create({ name: ' ', regionId: 1, timezoneId: 113, countryId: 64 });
    await expect(failure).rejects.toBeInstanceOf(MakeError);
    await expect(failure).rejects.toThrow(/Validation failed for 1 parameter\(s\)\.\n - .*'name'/);
    const stranger = new Make('00000000-0000-4000-8000-000000000000', stage.zone);
    stranger.protocol = 'http';
    await expect(stranger.users.me()).rejects.toMatchObject({ statusCode: 401 });
  });

  it('sends access tokens as Bearer', async () => {
    const scopes = ['organizations:read'];
    const token = await stage.rest.services.oidc.issue({ userId: 1, scopes });
    const bearer = new Make(token, stage.zone);
    bearer.protocol = 'http';
    expect(await bearer.users.currentAuthorization()).toEqual({ authUsed: 'oauth', scope: scopes });
    await expect(bearer.teams.list(1)).rejects.toMatchObject({ statusCode: 403 });
  });

  it('retries a call after the delay of the rate limit', async () => {
    const { store } = stage.rest.services;
    await store.transaction((writer) =>
      writer.update('organizations', { id: 1 }, { license: { apiLimit: 1 } }),
    );
    await stage.rest.services.store.countInWindow('api:1', Date.now(), 60_000);
    await expect(make.teams.list(1)).rejects.toMatchObject({ statusCode: 429 });
  });
});
