// Runs the tests of escapes as an ordinary user: they run as root in containers.
// tier: full
import path from 'node:path'
import t from 'tap'
import { needs } from '../../support/needs.ts'
import { needsReach } from '../../support/other-user.ts'
import { runAsUser } from '../../support/run-as-user.ts'

const TEST = path.resolve(import.meta.dirname, 'escapes.test.ts')
const parts = needs('root', 'bwrap', 'landlock', 'python3')

t.test('the same holds for an ordinary user', { ...needsReach(path.dirname(TEST)), ...needsReach(), ...parts }, t =>
  runAsUser(t, TEST, 500)
)
