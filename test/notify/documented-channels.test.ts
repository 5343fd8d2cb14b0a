// The page about notifications has one example of each kind of channel, which is valid.
// tier: quick
import { readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { loadConfig } from '../../src/config/load.ts'
import { CHANNEL_SCHEMAS } from '../../src/config/notifications.ts'
import { parseCodeBlocks } from '../markdown.ts'
import { makeTestFolder } from '../support/test-folder.ts'

t.test('loads the documented configuration of each kind', async t => {
  const blocks = parseCodeBlocks(readFileSync('docs/notifications.md', 'utf8')).filter(
    ({ language }) => language === 'jsonc'
  )
  const kinds = new Set<string>()
  for (const { text } of blocks) {
    const folder = makeTestFolder(t, { home: { '.config': { toolgate: { 'config.jsonc': text } } }, work: {} })
    const { settings, warnings } = await loadConfig({
      flags: {},
      env: { HOME: path.join(folder, 'home'), TOOLGATE_ADMIN_CONFIG: path.join(folder, 'none') },
      cwd: path.join(folder, 'work'),
      version: '0.0.0'
    })
    t.same(warnings, [])
    for (const { kind } of Object.values(settings.notifications.channels)) kinds.add(kind)
  }
  t.same([...kinds].sort(), Object.keys(CHANNEL_SCHEMAS).sort())
})
