// Tests of an import of policies in a terminal: a person confirms each entry that allows.
// tier: quick
import t from 'tap'
import type { SavedRule } from '../../../src/client/client.ts'
import { needs } from '../../support/needs.ts'
import { runInPty } from '../pty.ts'
import { servedIn, UNSANDBOXED } from '../toolgate.ts'

t.test('asks a person about each entry that allows', needs('node-pty'), async t => {
  const { toolgate, commandOf } = await servedIn(t, UNSANDBOXED, {
    '.claude/settings.json': JSON.stringify({
      permissions: { allow: ['Bash(npm test:*)', 'Bash(npm run lint)', 'Bash(make)'], deny: ['Bash(curl:*)'] }
    })
  })
  const saved = async () =>
    JSON.parse((await toolgate(['rules', '--json'])).stdout).map(
      ({ effect, match }: SavedRule) => `${effect} ${match.command}`
    )
  const first = await runInPty(t, commandOf(['rules', 'import', '--save']))
  await first.sees(
    /allow Bash\(npm test:\*\)\s+allows \{"tool":"shell_exec","command":"npm test","mode":"prefix"\}\s+Save this rule\?/
  )
  first.press('y\r')
  await first.sees(/allow Bash\(npm run lint\)[^?]*Save this rule\?/)
  first.press('\r')
  await first.sees(/allow Bash\(make\)[^?]*Save this rule\?/)
  first.press('q\r')
  await first.sees(/2 rules saved\.\s+2 allow rules were not saved/)
  t.same(await saved(), ['deny curl', 'allow npm test'])
  const second = await runInPty(t, commandOf(['rules', 'import', '--save']))
  await second.sees(/allow Bash\(npm run lint\)[^?]*Save this rule\?/)
  second.press('a\r')
  await second.sees(/2 rules saved\./)
  t.same(await saved(), ['deny curl', 'allow npm test', 'allow npm run lint', 'allow make'])
})
