// tier: quick
import { existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { parse } from 'jsonc-parser'
import t from 'tap'
import { editSetting } from '../../../../src/config/edit-setting.ts'
import { runs } from '../../../support/property.ts'
import { createProject } from '../../toolgate.ts'

t.test('shows effective values with their source; edits preserve comments', async t => {
  const { toolgate, home, project } = createProject(t, {
    '.toolgate/config.jsonc': '{ "approval": { "ttl_ms": 7 }, "log": { "level": "warn" } }'
  })
  const user = path.join(home, '.config/toolgate/config.jsonc')
  const theirs = path.join(project, '.toolgate/config.jsonc')
  t.same(await toolgate(['config', 'get', 'limits.read']), { code: 0, stdout: '32\n', stderr: 'default\n' })
  t.same(await toolgate(['config', 'set', 'limits.read', '4']), {
    code: 0,
    stdout: `Changed ${user}\n`,
    stderr: 'The change takes effect when the server restarts: toolgate serve --replace\n'
  })
  t.equal(readFileSync(user, 'utf8'), '{\n  "limits": {\n    "read": 4\n  }\n}\n')
  t.equal(statSync(user).mode & 0o777, 0o600)

  await toolgate(['config', 'unset', 'limits.read'])
  t.equal(readFileSync(user, 'utf8'), '{\n  "limits": {\n  }\n}\n')
  t.same(JSON.parse((await toolgate(['config', 'set', 'limits.read', '4', '--json'])).stdout), {
    file: user,
    setting: 'limits.read',
    value: 4,
    changed: true
  })
  t.same(JSON.parse((await toolgate(['config', 'get', 'limits.read', '--json'])).stdout), {
    setting: 'limits.read',
    value: 4,
    from: [`${user}:3:5`]
  })
  const taken = JSON.parse((await toolgate(['config', 'get', 'approval.ttl_ms', '--json'])).stdout)
  t.same(taken, { setting: 'approval.ttl_ms', value: 7, from: [`${theirs}:1:17`] }, 'a project may tighten')
  const kept = JSON.parse((await toolgate(['config', 'get', 'log.level', '--json'])).stdout)
  t.same(kept, { setting: 'log.level', value: 'info', from: [] }, 'but no more than that')
  t.match(await toolgate(['config', 'check']), { code: 0, stdout: /log\/level: ignored/ })
})

t.test('reports when a change takes effect: now, once trusted, or at the next start', async t => {
  const { toolgate, project } = createProject(t)
  const said = async (...argv: string[]) => (await toolgate(['config', ...argv])).stderr
  t.equal(await said('set', 'hooks', '[]'), 'A running server applies the change immediately.\n')
  t.equal(await said('unset', 'hooks'), 'A running server applies the change immediately.\n')
  t.equal(
    await said('set', 'hooks', '[]', '--project'),
    `A running server applies the change after you trust the file: toolgate trust ${project}/.toolgate/config.jsonc\n`
  )
  t.equal(
    await said('set', 'approval.ttl_ms', '7', '--project'),
    'The change takes effect when the server restarts: toolgate serve --replace\n'
  )
})

t.test('rejects invalid values and writes nothing', async t => {
  const { toolgate, home } = createProject(t)
  const user = path.join(home, '.config/toolgate/config.jsonc')
  const wrong: [string[], string][] = [
    [['set', 'limits.read', 'many'], 'limits.read must be integer.'],
    [['set', 'log.level', 'loud'], 'log.level must be one of trace, debug, info, warn, error, silent.'],
    [['set', 'lmits.read', '3'], 'Unknown setting: lmits.read. Did you mean limits.read?'],
    [['get', 'limits.raed'], 'Unknown setting: limits.raed. Did you mean limits.read?'],
    [['get', 'approval.none_such'], 'Unknown setting: approval.none_such. Similar: approval.'],
    [['get', 'zzz'], 'Unknown setting: zzz. All settings: toolgate config get']
  ]
  for (const [argv, words] of wrong) {
    const { code, stdout, stderr } = await toolgate(['config', ...argv])
    t.same([code, stdout, stderr.startsWith(`toolgate: ${words}`)], [2, '', true], stderr)
  }
  t.notOk(existsSync(user))
  await toolgate(['config', 'set', 'limits.read', '4'])
  writeFileSync(user, '{ "limits": ')
  t.match(await toolgate(['config', 'set', 'limits.read', '5']), {
    code: 2,
    stderr: / cannot be changed, because it is not valid JSON/
  })
  t.equal(readFileSync(user, 'utf8'), '{ "limits": ')
  t.match(await toolgate(['config', 'check', '--json']), {
    code: 2,
    stdout: /^\{"faults":\[\{"where":.*is not valid JSON at this position/
  })
})

t.test('preserves a link', async t => {
  const { toolgate, home, folder } = createProject(t)
  const user = path.join(home, '.config/toolgate/config.jsonc')
  await toolgate(['config', 'set', 'port', '1'])
  writeFileSync(path.join(folder, 'dotfile'), '// mine\n{ "port": 1, /* why */ "host": "::1" }\n', { mode: 0o644 })
  rmSync(user)
  symlinkSync(path.join(folder, 'dotfile'), user)
  await toolgate(['config', 'set', 'port', '7777'])
  t.equal(readFileSync(path.join(folder, 'dotfile'), 'utf8'), '// mine\n{ "port": 7777, /* why */ "host": "::1" }\n')
  t.match(JSON.parse((await toolgate(['config', 'schema'])).stdout), {
    title: 'Configuration',
    properties: { port: {} }
  })
})

t.test('every written setting is read back, and the others stay', t => {
  const name = fc.string({ minLength: 1, maxLength: 8 }).filter(key => key !== '__proto__')
  // Generates JSON; configuration files with a key like this at any depth are rejected.
  const json = (maxDepth: number) =>
    fc.jsonValue({ maxDepth }).filter(value => !JSON.stringify(value).includes('"__proto__":'))
  const some = fc.dictionary(name, json(2), { maxKeys: 4, noNullPrototype: true })
  fc.assert(
    fc.property(some, fc.array(name, { minLength: 1, maxLength: 3 }), json(1), (before, at, value) => {
      const [first = '', ...nested] = at
      // A value in the place of a section is no section.
      if (nested.length > 0) delete before[first]
      const after = parse(editSetting(`// kept\n${JSON.stringify(before, null, 2)}\n`, at, value))
      const expected = { ...before, [first]: nested.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) }
      t.strictSame(after, JSON.parse(JSON.stringify(expected)))
    }),
    runs(50)
  )
  t.end()
})
