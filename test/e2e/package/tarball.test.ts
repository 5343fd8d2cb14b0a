// Tests of the contents of the packed package.
import path from 'node:path'
import t from 'tap'
import { pack } from './packed.ts'

t.test('the package contains only what users need', async t => {
  const { files, manifest } = await pack()
  for (const [door, targets] of Object.entries(manifest.exports))
    for (const target of Object.values(targets))
      t.ok(files.includes(path.posix.normalize(target)), `${door} → ${target}`)
  for (const file of [
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'THIRD_PARTY_NOTICES.txt',
    'clients/python/pyproject.toml',
    'clients/python/src/toolgate/py.typed',
    'examples/agent-loop/agent.ts'
  ])
    t.ok(files.includes(file), file)
  t.match(manifest, { keywords: Array, homepage: String, bugs: String, repository: { type: 'git', url: String } })
  const { version } = manifest
  t.match(manifest, {
    optionalDependencies: { '@toolgate/confine-linux-x64': version, '@toolgate/confine-linux-arm64': version }
  })
  t.strictSame(
    files.filter(file =>
      /^(?:src|test|bench|scripts|tools|\.)|(?:^|\/)(?:tests?|__pycache__)\/|\.(?:png|map)$|\/\./.test(file)
    ),
    [],
    'nothing that is only for making it'
  )
  t.equal(files.filter(file => file.endsWith('.d.ts')).length, 4, 'a declaration file per export')
})
