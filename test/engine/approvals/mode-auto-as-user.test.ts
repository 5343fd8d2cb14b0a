// Runs tests of the mode `auto` as an ordinary user, who is kept out of folders by their modes: they run as root in containers.
// tier: full
import path from 'node:path'
import t from 'tap'
import { needs } from '../../support/needs.ts'
import { needsReach } from '../../support/other-user.ts'
import { runAsUser } from '../../support/run-as-user.ts'

const TEST = path.resolve(import.meta.dirname, 'mode-auto-deep-trees.test.ts')
const parts = needs('root', 'bwrap', 'python3')

t.test('the same holds for an ordinary user', { ...needsReach(path.dirname(TEST)), ...needsReach(), ...parts }, t =>
  runAsUser(t, TEST, 50)
)
