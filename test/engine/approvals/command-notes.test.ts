import t from 'tap'
import { commandNotes } from '../../../src/engine/approvals/command-notes.ts'

t.test('notes the limits of a container for the approver', async t => {
  const assessment = (level: 'container' | 'workspace') => ({ command: undefined, isolation: { level, network: [] } })
  t.equal(
    commandNotes(assessment('container'), ['dropped capabilities', 'a user'])[1],
    'Here that lacks dropped capabilities; a user.'
  )
  t.equal(commandNotes(assessment('container')).length, 1)
  t.equal(commandNotes(assessment('workspace'), ['a limit for memory']).length, 1)
})
