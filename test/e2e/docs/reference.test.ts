// Tests of the examples in the longest documents: their output matches.
import t from 'tap'
import { REFERENCE, testPages } from './world.ts'

testPages(t, REFERENCE)
