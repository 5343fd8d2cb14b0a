// tier: full
import t from 'tap'
import { checkTools } from './conformance.ts'

await checkTools(t, 'files')
