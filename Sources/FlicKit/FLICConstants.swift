/// Domain of the errors that have a ``FLICError`` for their code.
public let FLICErrorDomain = "com.shortcutlabs.flic2lib"

/// Domain of the errors that have a ``FLICButtonScannerErrorCode`` for their code.
public let FLICButtonScannerErrorDomain = "com.shortcutlabs.flic2lib.buttonscanner"

/// The version of flic2lib whose interface this is.
public let flic2libVersionNumber = 1.4

/// What `Int` is called in Objective-C. Programs write it in their delegate methods; Foundation on Linux lacks it.
public typealias NSInteger = Int

/// What `UInt` is called in Objective-C.
public typealias NSUInteger = UInt
