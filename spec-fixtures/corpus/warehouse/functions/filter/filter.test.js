it('writes one pair per condition', () => {
  const search = [{ column: 'name', value: 'a b' }, { column: 'shelf', value: 'B2' }];
  assert.strictEqual(filter(search), 'name=eq.a%20b&shelf=eq.B2');
});

it('writes an empty query without conditions', () => {
  assert.strictEqual(filter(undefined), '');
});
