import CAllocations
import Glibc

/// What the process uses, all of it.
struct Usage: Equatable {
    /// Bytes that have been asked for and not given back: of all live objects together. What the allocator itself keeps does not count.
    var heap: Int
    /// Open file descriptors.
    var descriptors: Int

    /// What it uses now.
    static var now: Usage { Usage(heap: Int(c_heap_bytes()), descriptors: openDescriptors) }

    private static var openDescriptors: Int {
        guard let directory = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(directory) }
        var count = -3  // the one that reads the directory, and two that are no descriptors
        while readdir(directory) != nil { count += 1 }
        return count
    }

    /// A thread's small blocks that wait for their next use count as used, and come and go.
    static let heapTolerance = 64 << 10

    /// Names what is more than it was.
    func growth(since before: Usage) -> [String] {
        var growth: [String] = []
        if heap > before.heap + Self.heapTolerance { growth.append("\(heap - before.heap) bytes") }
        if descriptors > before.descriptors { growth.append("\(descriptors - before.descriptors) descriptors") }
        return growth
    }
}
