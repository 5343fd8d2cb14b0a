// Tests of the examples in documents about extending the server and connecting to it: their output matches.
import t from 'tap'
import { EXTENDING, testPages } from './world.ts'

testPages(t, EXTENDING)
