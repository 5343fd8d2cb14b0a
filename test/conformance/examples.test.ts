// Runs tools that need more than files and commands once each.
// tier: quick
import t from 'tap'
import { checkExamples } from './conformance.ts'

await checkExamples(t, 'editor', 'mcp', 'session', 'web')
